import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';

/** The error for stored progress that has an unknown version or is damaged. */
export class UnreadableProgress extends Error {
	override readonly name = 'UnreadableProgress';

	readonly code = 'progressUnreadable';

	readonly advice =
		'A newer version of this package wrote it, it was changed by hand, or it was not written completely. Update the package. To start over instead, replace this node with a new one under another name: it begins as its “Start From” says.';

	constructor(value: unknown) {
		super(`The stored progress cannot be read at ${JSON.stringify(value) ?? 'a missing value'}`);
	}
}

/** Reads a stored time, in epoch milliseconds. */
export function storedTime(value: unknown): number {
	const time = Date.parse(storedText(value));
	if (Number.isNaN(time)) throw new UnreadableProgress(value);
	return time;
}

export function storedText(value: unknown): string {
	if (typeof value !== 'string') throw new UnreadableProgress(value);
	return value;
}

export function storedObject(value: unknown): IDataObject {
	if (!isObject(value)) throw new UnreadableProgress(value);
	return value;
}
