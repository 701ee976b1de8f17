import type { IDataObject } from 'n8n-workflow';

import { isoSeconds, MINUTE_MS } from '../../../service/basics/times';
import type { StoredRuns } from '../../common/runs/storedRuns';
import { readStoredRuns, writeStoredRuns } from '../../common/runs/storedRuns';
import {
	damaged,
	storedObject,
	storedText,
	storedTime,
	ofAnotherVersion,
} from '../../common/storedValues';
import { DeliveredLeads, MARK_LENGTH } from './deliveredLeads';
import type { TargetProgress } from './targetProgress';

/**
 * The progress of a node as n8n stores it, for a support person to read:
 *
 * ```json
 * { "version": 1, "polls": 17, "scopes": { "applicant · branch 10234": {
 *     "client": "pJ7dYm3sQ0aK", "watermark": "2026-06-30T11:59:15Z", "start": "2026-06-29T08:30:00Z",
 *     "seenFrom": "2026-06-30T10:59:15Z", "seen": { "2026-06-30T11:02Z": ["3f1c…", "a77e…"] } } },
 *   "delivered": { "marks": { "2026-06-29": "x8Zk0-qQ…", "2026-06-30": "Jd3_a7Lm…" } },
 *   "runs": { "started": { "applicant a77e…": 2 }, "notStarted": { "applicant a77e…": 1 } } }
 * ```
 *
 * `scopes` holds the targets. Times are UTC by the service's clock; `seen` holds lead ids by the minute
 * in which the window that they came in ended.
 */
export interface Progress {
	/** How many polls have succeeded. */
	polls: number;
	/** By the key of the target. */
	targets: Map<string, TargetProgress>;
	delivered: DeliveredLeads;
	/** Only if each lead has a run of its own. */
	runs?: StoredRuns;
}

const VERSION = 1;

/** @throws UnreadableProgress rather than to start over, which would lose or repeat leads */
export function readProgress(stored: IDataObject): Progress {
	const { version, polls, scopes, delivered, runs } = stored;
	if (version === undefined) {
		return { polls: 0, targets: new Map(), delivered: new DeliveredLeads() };
	}
	if (version !== VERSION) throw ofAnotherVersion(version);
	if (typeof polls !== 'number') throw damaged(polls);
	const known = Object.entries(storedObject(scopes)).map(
		([key, target]) => [key, readTarget(storedObject(target))] as const,
	);
	return {
		polls,
		targets: new Map(known),
		delivered: readDelivered(storedObject(delivered)),
		...(runs !== undefined && { runs: readStoredRuns(runs) }),
	};
}

function readDelivered({ completeFrom, marks }: IDataObject): DeliveredLeads {
	const byDay = Object.entries(storedObject(marks)).map(([day, text]): [string, string] => {
		storedTime(day);
		if (storedText(text).length % MARK_LENGTH !== 0) throw damaged(text);
		return [day, storedText(text)];
	});
	return new DeliveredLeads(
		new Map(byDay),
		completeFrom === undefined ? undefined : storedTime(completeFrom),
	);
}

export function writeProgress(
	stored: IDataObject,
	{ polls, targets, delivered, runs }: Progress,
): void {
	const entries = [...targets].map(([key, target]) => [key, writeTarget(target)] as const);
	Object.assign(stored, {
		version: VERSION,
		polls,
		scopes: Object.fromEntries(entries),
		delivered: writeDelivered(delivered),
	});
	if (runs) stored.runs = writeStoredRuns(runs);
	else delete stored.runs;
}

function writeDelivered(delivered: DeliveredLeads): IDataObject {
	const marks = Object.fromEntries(delivered.byDay());
	const { completeFrom } = delivered;
	return {
		...(completeFrom !== undefined && { completeFrom: isoSeconds(completeFrom) }),
		marks,
	};
}

function readTarget(stored: IDataObject): TargetProgress {
	const progress: TargetProgress = {
		client: storedText(stored.client),
		watermark: storedTime(stored.watermark),
		start: storedTime(stored.start),
		seen: new Map(readSeen(storedObject(stored.seen))),
	};
	if (stored.since !== undefined) progress.since = storedTime(stored.since);
	if (stored.seenFrom !== undefined) progress.seenFrom = storedTime(stored.seenFrom);
	if (stored.missed !== undefined) {
		const { from, to } = storedObject(stored.missed);
		progress.missed = { from: storedTime(from), to: storedTime(to) };
	}
	return progress;
}

function* readSeen(stored: IDataObject): Generator<[string, number]> {
	for (const [minute, keys] of Object.entries(stored)) {
		if (!Array.isArray(keys)) throw damaged(keys);
		// The end of the minute: a key is never given up too early.
		const time = storedTime(minute) + MINUTE_MS - 1;
		for (const key of keys) yield [storedText(key), time];
	}
}

function writeTarget(progress: TargetProgress): IDataObject {
	const { client, watermark, start, since, missed, seenFrom, seen } = progress;
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

function writeSeen(seen: TargetProgress['seen']): Record<string, string[]> {
	const byMinute: Record<string, string[]> = {};
	for (const [key, time] of seen) {
		const minute = `${new Date(time).toISOString().slice(0, 16)}Z`;
		(byMinute[minute] ??= []).push(key);
	}
	return byMinute;
}
