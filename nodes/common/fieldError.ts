import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Says which field is wrong and how it should be; nothing was sent yet. */
export class FieldError extends Error {
	override readonly name = 'FieldError';

	constructor(
		readonly field: string,
		problem: string,
		readonly remedy: string,
	) {
		super(`“${field}” ${problem}`);
	}

	toNodeError(node: INode, itemIndex?: number): NodeOperationError {
		return new NodeOperationError(node, this.message, {
			description: this.remedy,
			itemIndex,
		});
	}
}

/** A value as a remedy shows it. */
export function shown(value: unknown): string {
	if (typeof value === 'number') return String(value);
	return value === undefined || value === null || value === ''
		? 'empty'
		: (JSON.stringify(value) ?? 'empty');
}
