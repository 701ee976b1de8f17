import type { IDataObject } from 'n8n-workflow';

import { damaged, storedObject } from '../storedValues';

/** The runs that a process planned or had under way. */
export interface StoredRuns {
	/** By the task, such as the lead `applicant 3f1c…`: which of its keys the run has, from 1. */
	started: ReadonlyMap<string, number>;
	/** How many of its keys n8n has used up without starting a run. */
	notStarted?: ReadonlyMap<string, number>;
	/** Whether queue workers carry out the runs, and go on if this process ends. Unset until a run has told. */
	onWorkers?: boolean;
}

/** @throws UnreadableProgress */
export function readStoredRuns(stored: unknown): StoredRuns {
	const { started, notStarted, onWorkers } = storedObject(stored);
	return {
		started: readCounts(started),
		...(notStarted !== undefined && { notStarted: readCounts(notStarted) }),
		...(onWorkers !== undefined && { onWorkers: onWorkers === true }),
	};
}

export function writeStoredRuns({ started, notStarted, onWorkers }: StoredRuns): IDataObject {
	return {
		started: Object.fromEntries(started),
		...(notStarted && notStarted.size > 0 && { notStarted: Object.fromEntries(notStarted) }),
		...(onWorkers !== undefined && { onWorkers }),
	};
}

function readCounts(stored: unknown): Map<string, number> {
	return new Map(
		Object.entries(storedObject(stored)).map(([id, count]) => {
			if (typeof count !== 'number') throw damaged(count);
			return [id, count];
		}),
	);
}
