import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../../service/basics/values';
import { isoSeconds } from '../../../service/basics/times';
import { DeliveredLeads, MARK_LENGTH } from './deliveredLeads';
import type { Scope } from './progress';
import { leadTypeOf } from './progress';

/**
 * The progress of a node as n8n stores it, for a support person to read:
 *
 * ```json
 * { "version": 1, "polls": 17, "scopes": { "applicant · branch 10234": {
 *     "client": "pJ7dYm3sQ0aK", "watermark": "2026-06-30T11:59:15Z", "start": "2026-06-29T08:30:00Z",
 *     "seenFrom": "2026-06-30T10:59:15Z", "seen": { "2026-06-30T11:02Z": ["3f1c…", "a77e…"] } } },
 *   "delivered": { "marks": { "2026-06-29": "x8Zk0-qQ…", "2026-06-30": "Jd3_a7Lm…" } } }
 * ```
 *
 * Times are UTC by the service's clock; `seen` holds lead ids by the minute in which the window that
 * they came in ended. Progress from before `start` and `delivered` were stored is read as well, and
 * versions from then read this: they leave out what they do not know.
 */
export interface Progress {
	/** How many polls have succeeded. */
	polls: number;
	scopes: Map<string, Scope>;
	delivered: DeliveredLeads;
}

/** What is stored is of a version that this one does not know, or is damaged. */
export class UnreadableProgress extends Error {
	override readonly name = 'UnreadableProgress';
}

const VERSION = 1;
const MINUTE_MS = 60_000;

/** @throws UnreadableProgress rather than to start over, which would lose or repeat leads */
export function readProgress(stored: IDataObject): Progress {
	const { version, polls, scopes, delivered } = stored;
	if (version === undefined) {
		return { polls: 0, scopes: new Map(), delivered: new DeliveredLeads() };
	}
	if (version !== VERSION) {
		throw new UnreadableProgress(`The stored progress has version ${JSON.stringify(version)}`);
	}
	if (typeof polls !== 'number') throw damaged(polls);
	const known = Object.entries(objectOf(scopes)).map(([key, scope]): [string, IDataObject] => [
		key,
		objectOf(scope),
	]);
	const progress = {
		polls,
		scopes: new Map(known.map(([key, scope]) => [key, readScope(scope)])),
		delivered: delivered === undefined ? new DeliveredLeads() : readDelivered(objectOf(delivered)),
	};
	const byEarlierVersion = known.filter(([, { start }]) => start === undefined);
	for (const [key] of byEarlierVersion) completeDelivered(progress, key);
	return progress;
}

/** An earlier version knew what it delivered by the keys of its scopes alone. */
function completeDelivered({ scopes, delivered }: Progress, key: string): void {
	const { start = 0, seen = [] } = scopes.get(key) ?? {};
	for (const [lead, time] of sortBy([...seen], '1')) delivered.claim(leadTypeOf(key), lead, time);
	delivered.completeFrom = Math.max(delivered.completeFrom ?? start, start);
}

function readDelivered({ completeFrom, marks }: IDataObject): DeliveredLeads {
	const byDay = Object.entries(objectOf(marks)).map(([day, text]): [string, string] => {
		timeOf(day);
		if (textOf(text).length % MARK_LENGTH !== 0) throw damaged(text);
		return [day, textOf(text)];
	});
	return new DeliveredLeads(
		new Map(byDay),
		completeFrom === undefined ? undefined : timeOf(completeFrom),
	);
}

export function writeProgress(stored: IDataObject, { polls, scopes, delivered }: Progress): void {
	const entries = [...scopes].map(([key, scope]) => [key, writeScope(scope)] as const);
	Object.assign(stored, {
		version: VERSION,
		polls,
		scopes: Object.fromEntries(entries),
		delivered: writeDelivered(delivered),
	});
}

function writeDelivered(delivered: DeliveredLeads): IDataObject {
	const marks = Object.fromEntries(delivered.byDay());
	const { completeFrom } = delivered;
	return {
		...(completeFrom !== undefined && { completeFrom: isoSeconds(completeFrom) }),
		marks,
	};
}

function readScope(stored: IDataObject): Scope {
	const watermark = timeOf(stored.watermark);
	const seenFrom = stored.seenFrom === undefined ? undefined : timeOf(stored.seenFrom);
	const scope: Scope = {
		client: textOf(stored.client),
		watermark,
		// Leads from before the keys may have been delivered, and nobody would know.
		start: stored.start === undefined ? (seenFrom ?? watermark) : timeOf(stored.start),
		seen: new Map(readSeen(objectOf(stored.seen))),
	};
	if (stored.since !== undefined) scope.since = timeOf(stored.since);
	if (seenFrom !== undefined) scope.seenFrom = seenFrom;
	if (stored.missed !== undefined) {
		const { from, to } = objectOf(stored.missed);
		scope.missed = { from: timeOf(from), to: timeOf(to) };
	}
	return scope;
}

function* readSeen(stored: IDataObject): Generator<[string, number]> {
	for (const [minute, keys] of Object.entries(stored)) {
		if (!Array.isArray(keys)) throw damaged(keys);
		// The end of the minute: a key is never given up too early.
		const time = timeOf(minute) + MINUTE_MS - 1;
		for (const key of keys) yield [textOf(key), time];
	}
}

function writeScope(scope: Scope): IDataObject {
	const { client, watermark, start, since, missed, seenFrom, seen } = scope;
	return {
		client,
		watermark: isoSeconds(watermark),
		start: isoSeconds(start),
		...(since !== undefined && { since: isoSeconds(since) }),
		...(missed && { missed: { from: isoSeconds(missed.from), to: isoSeconds(missed.to) } }),
		...(seenFrom !== undefined && { seenFrom: isoSeconds(seenFrom) }),
		seen: writeSeen(seen),
	};
}

function writeSeen(seen: Scope['seen']): Record<string, string[]> {
	const byMinute: Record<string, string[]> = {};
	for (const [key, time] of seen) {
		const minute = `${new Date(time).toISOString().slice(0, 16)}Z`;
		(byMinute[minute] ??= []).push(key);
	}
	return byMinute;
}

function timeOf(value: unknown): number {
	const time = Date.parse(textOf(value));
	if (Number.isNaN(time)) throw damaged(value);
	return time;
}

function textOf(value: unknown): string {
	if (typeof value !== 'string') throw damaged(value);
	return value;
}

function objectOf(value: unknown): IDataObject {
	if (!isObject(value)) throw damaged(value);
	return value;
}

function damaged(value: unknown): UnreadableProgress {
	return new UnreadableProgress(
		`The stored progress is damaged at ${JSON.stringify(value) ?? 'a missing value'}`,
	);
}
