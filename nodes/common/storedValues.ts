import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';

/** The stored progress has a version that this package does not know, or is damaged. */
export class UnreadableProgress extends Error {
	override readonly name = 'UnreadableProgress';

	readonly code = 'progressUnreadable';

	constructor(
		message: string,
		readonly advice: string,
	) {
		super(message);
	}
}

const START_OVER = 'replace this node with a new one under another name.';

/** Reads a stored time, in epoch milliseconds. */
export function storedTime(value: unknown): number {
	const time = Date.parse(storedText(value));
	if (Number.isNaN(time)) throw damaged(value);
	return time;
}

export function storedText(value: unknown): string {
	if (typeof value !== 'string') throw damaged(value);
	return value;
}

export function storedObject(value: unknown): IDataObject {
	if (!isObject(value)) throw damaged(value);
	return value;
}

export function damaged(value: unknown): UnreadableProgress {
	return new UnreadableProgress(
		`The stored progress is damaged at ${JSON.stringify(value) ?? 'a missing value'}`,
		`It was changed by hand, or not written completely. To start over, ${START_OVER}`,
	);
}

/** @param version a version other than the one that this package writes */
export function ofAnotherVersion(version: unknown): UnreadableProgress {
	if (typeof version !== 'number') return damaged(version);
	return new UnreadableProgress(
		`The stored progress has version ${version}`,
		`A newer version of this package wrote it: update the package again. To start over instead, ${START_OVER}`,
	);
}
