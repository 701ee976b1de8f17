import type { INode } from 'n8n-workflow';

/**
 * True if the model of an AI agent calls the node. n8n then runs the node under another type, whose name ends like
 * this.
 */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}
