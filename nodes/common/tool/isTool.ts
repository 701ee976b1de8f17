import type { INode } from 'n8n-workflow';

/** Whether a model of an AI agent calls the node. n8n then runs it under another type, with this ending. */
export function isTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}
