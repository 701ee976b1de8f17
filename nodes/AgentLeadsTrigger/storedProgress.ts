import mapValues from 'lodash/mapValues';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../service/basics/times';
import type { StoredRuns } from '../common/runs/queue';
import { readStoredRuns } from '../common/runs/queue';
import { damaged, ofAnotherVersion, storedObject, storedTime } from '../common/storedValues';
import { DeliveredLeads, readDelivered } from './deliveredLeads';
import type { TargetProgress } from './targetProgress';

/** The progress of a node. docs/architecture.md describes how n8n stores it. */
export interface Progress {
	/** The number of polls that have succeeded. */
	polls: number;
	/** The progress of each target, by its key. */
	targets: Map<string, TargetProgress>;
	delivered: DeliveredLeads;
	/** The runs that may be repeated or were not started; unset with One per Poll. */
	runs?: StoredRuns;
}

const VERSION = 1;

export const PROGRESS_FORMAT = { read: readProgress, write: writeProgress };

/** @throws UnreadableProgress, because starting over would lose or repeat leads */
export function readProgress(stored: IDataObject): Progress {
	const { version, polls, targets, delivered, runs } = stored;
	if (version === undefined) {
		return { polls: 0, targets: new Map(), delivered: new DeliveredLeads() };
	}
	if (version !== VERSION) throw ofAnotherVersion(version);
	if (typeof polls !== 'number') throw damaged(polls);
	return {
		polls,
		targets: new Map(Object.entries(mapValues(storedObject(targets), readTarget))),
		delivered: readDelivered(storedObject(delivered)),
		...(runs !== undefined && { runs: readStoredRuns(runs) }),
	};
}

function writeProgress(stored: IDataObject, { polls, targets, delivered, runs }: Progress): void {
	Object.assign(stored, {
		version: VERSION,
		polls,
		targets: mapValues(Object.fromEntries(targets), writeTarget),
		delivered: delivered.stored,
	});
	if (runs) stored.runs = { ...runs };
	else delete stored.runs;
}

function readTarget(stored: unknown): TargetProgress {
	const { watermark, start } = storedObject(stored);
	return { watermark: storedTime(watermark), start: storedTime(start) };
}

function writeTarget({ watermark, start }: TargetProgress): IDataObject {
	return { watermark: isoSeconds(watermark), start: isoSeconds(start) };
}
