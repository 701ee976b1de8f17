import type { INode } from 'n8n-workflow';

/**
 * True if the node is used as a tool by the model of an AI agent. n8n then gives the node another type, whose name ends
 * in “Tool”.
 */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}
