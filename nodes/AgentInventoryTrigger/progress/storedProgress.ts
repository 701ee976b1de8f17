import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../../service/basics/times';
import type { StoredRuns } from '../../common/runs/queue';
import { readStoredRuns } from '../../common/runs/queue';
import {
	damaged,
	storedObject,
	storedText,
	storedTime,
	ofAnotherVersion,
} from '../../common/storedValues';
import type { AgencyProgress, ListName, ListProgress, Pending } from './agencyProgress';
import { LISTS } from './agencyProgress';
import { KnownProperties, read, readKnownTime, write, writeKnownTime } from './knownProperties';
import type { ListPass } from './listPass';

/**
 * The progress of a node as n8n stores it, for a support person to read:
 *
 * ```json
 * { "version": 1, "polls": 17, "agencies": { "pJ7dYm3sQ0aK": {
 *     "scope": "X1d8Jm3sQ0aK", "begunAt": "2026-06-29T08:31:00Z", "start": "2026-06-29T08:30:00Z",
 *     "lists": { "current": { "watermark": "2026-06-30T11:59:15Z" }, "archived": { … }, "created": { … } },
 *     "known": "5017,6ys8,c,Xb3_a0,3cd9f0,2;…", "pending": { "5018": "3cd9f0,3cd9g1,1" } } },
 *   "runs": { "started": { "pJ7dYm3sQ0aK 5017 2": 2 } } }
 * ```
 *
 * Times are UTC by the service's clock. `KnownProperties` says how a property is written.
 */
export interface Progress {
	/** How many polls have succeeded. */
	polls: number;
	/** By the mark of the agency. */
	agencies: Map<string, AgencyProgress>;
	/** Only if each change has a run of its own. */
	runs?: StoredRuns;
}

const STORED_VERSION = 1;

/** Marks what was to be read before the baseline was whole. */
const EARLY = 'b';

/** @throws UnreadableProgress rather than to start over, which would lose or repeat changes */
export function readInventoryProgress(stored: IDataObject): Progress {
	const { version, polls, agencies, runs } = stored;
	if (version === undefined) return { polls: 0, agencies: new Map() };
	if (version !== STORED_VERSION) throw ofAnotherVersion(version);
	if (typeof polls !== 'number') throw damaged(polls);
	const known = Object.entries(storedObject(agencies));
	return {
		polls,
		agencies: new Map(known.map(([key, agency]) => [key, readStoredAgency(storedObject(agency))])),
		...(runs !== undefined && { runs: readStoredRuns(runs) }),
	};
}

export function writeInventoryProgress(
	stored: IDataObject,
	{ polls, agencies, runs }: Progress,
): void {
	const written = [...agencies].map(([key, agency]) => [key, writeAgency(agency)] as const);
	Object.assign(stored, { version: STORED_VERSION, polls, agencies: Object.fromEntries(written) });
	if (runs) stored.runs = { ...runs };
	else delete stored.runs;
}

function readStoredAgency(stored: IDataObject): AgencyProgress {
	const { scope, begunAt, start, lists, known, pending, begun } = stored;
	const { current, archived, created } = storedObject(lists);
	return {
		scope: storedText(scope),
		begunAt: storedTime(begunAt),
		start: storedTime(start),
		lists: {
			current: readListProgress(storedObject(current)),
			archived: readListProgress(storedObject(archived)),
			created: readListProgress(storedObject(created)),
		},
		known: new KnownProperties(storedText(known)),
		pending: readEach(pending, readPending),
		begun: readEach(begun, read),
	};
}

function writeAgency(progress: AgencyProgress): IDataObject {
	const { scope, begunAt, start, lists, known, pending, begun } = progress;
	const written = (name: ListName) => writeListProgress(lists[name]);
	return {
		scope,
		begunAt: isoSeconds(begunAt),
		start: isoSeconds(start),
		lists: Object.fromEntries(LISTS.map((name) => [name, written(name)])),
		known: known.toString(),
		...(pending.size > 0 && { pending: writeEach(pending, writePending) }),
		...(begun.size > 0 && { begun: writeEach(begun, write) }),
	};
}

function readListProgress({ watermark, changes, baseline }: IDataObject): ListProgress {
	return {
		watermark: storedTime(watermark),
		...(changes !== undefined && { changes: readPass(storedObject(changes)) }),
		...(baseline !== undefined && { baseline: readPass(storedObject(baseline)) }),
	};
}

function writeListProgress({ watermark, changes, baseline }: ListProgress): IDataObject {
	return {
		watermark: isoSeconds(watermark),
		...(changes && { changes: writePass(changes) }),
		...(baseline && { baseline: writePass(baseline) }),
	};
}

function readPass({ begunAt, position, stepMs, crowdedTo, by }: IDataObject): ListPass {
	if (stepMs !== undefined && typeof stepMs !== 'number') throw damaged(stepMs);
	if (by !== undefined && by !== 'modified') throw damaged(by);
	return {
		begunAt: storedTime(begunAt),
		...(position !== undefined && { position: storedTime(position) }),
		...(stepMs !== undefined && { stepMs }),
		...(crowdedTo !== undefined && { crowdedTo: storedTime(crowdedTo) }),
		...(by !== undefined && { by }),
	};
}

function writePass({ begunAt, position, stepMs, crowdedTo, by }: ListPass): IDataObject {
	return {
		begunAt: isoSeconds(begunAt),
		...(position !== undefined && { position: isoSeconds(position) }),
		...(stepMs !== undefined && { stepMs }),
		...(crowdedTo !== undefined && { crowdedTo: isoSeconds(crowdedTo) }),
		...(by !== undefined && { by }),
	};
}

function readEach<T>(stored: unknown, readOne: (text: string) => T): Map<string, T> {
	const entries = stored === undefined ? [] : Object.entries(storedObject(stored));
	return new Map(entries.map(([id, text]) => [id, readOne(storedText(text))]));
}

function writeEach<T>(map: Map<string, T>, writeOne: (value: T) => string): IDataObject {
	return Object.fromEntries([...map].map(([id, value]) => [id, writeOne(value)]));
}

function readPending(text: string): Pending {
	const [modified, since, tries, early] = text.split(',');
	const known = readKnownTime(since);
	if (known === undefined || !/^\d+$/.test(tries ?? '')) throw damaged(text);
	if (early !== undefined && early !== EARLY) throw damaged(text);
	const pending = { modified: readKnownTime(modified), since: known, tries: Number(tries) };
	return early === undefined ? pending : { ...pending, isEarly: true };
}

function writePending({ modified, since, tries, isEarly }: Pending): string {
	const parts = [writeKnownTime(modified), writeKnownTime(since), tries];
	return [...parts, ...(isEarly ? [EARLY] : [])].join(',');
}
