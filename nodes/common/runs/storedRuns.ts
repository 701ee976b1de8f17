import type { IDataObject } from 'n8n-workflow';

import { damaged, storedObject } from '../storedValues';

/** The runs that a process planned or had under way. */
export interface StoredRuns {
	/** By the task, such as the lead `applicant 3f1c…`: which run of it, from 1. */
	started: ReadonlyMap<string, number>;
	/** How many of the runs before that one n8n did not begin. */
	barred?: ReadonlyMap<string, number>;
	/**
	 * Whether other processes carry out the runs, as in n8n's queue mode: they outlive the one that starts them. Unset
	 * until a run has told.
	 */
	isElsewhere?: boolean;
}

/** @throws UnreadableProgress */
export function readStoredRuns(stored: unknown): StoredRuns {
	const { started, barred, elsewhere } = storedObject(stored);
	return {
		started: readCounts(started),
		...(barred !== undefined && { barred: readCounts(barred) }),
		...(elsewhere !== undefined && { isElsewhere: elsewhere === true }),
	};
}

export function writeStoredRuns({ started, barred, isElsewhere }: StoredRuns): IDataObject {
	return {
		started: Object.fromEntries(started),
		...(barred && barred.size > 0 && { barred: Object.fromEntries(barred) }),
		...(isElsewhere !== undefined && { elsewhere: isElsewhere }),
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
