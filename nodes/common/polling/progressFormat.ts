import type { IDataObject } from 'n8n-workflow';

import { readStoredRuns } from '../runs/queue';
import { UnreadableProgress } from '../storedValues';
import type { AnyProgress } from './taskTracker';

/** How progress is kept in the data that n8n stores for a node; docs/architecture.md explains what is stored. */
export interface ProgressFormat<P extends AnyProgress> {
	/** @throws UnreadableProgress rather than to start over, which would lose or repeat tasks */
	read(stored: IDataObject): P;
	write(stored: IDataObject, progress: P): void;
}

const VERSION = 1;

/**
 * @param empty what is stored of a node that has not polled yet, as `read` takes it
 * @param read what a trigger keeps besides the number of its polls and its runs
 * @param write the same, as it is stored
 */
export function progressFormat<Kept extends object>(
	empty: IDataObject,
	read: (stored: IDataObject) => Kept,
	write: (kept: Kept) => IDataObject,
): ProgressFormat<AnyProgress & Kept> {
	return {
		read(stored) {
			const { version, polls, runs } = stored;
			if (version === undefined) return { polls: 0, ...read(empty) };
			if (version !== VERSION) throw new UnreadableProgress(version);
			if (typeof polls !== 'number') throw new UnreadableProgress(polls);
			return {
				...{ polls, ...read(stored) },
				...(runs !== undefined && { runs: readStoredRuns(runs) }),
			};
		},

		write(stored, progress) {
			const { polls, runs } = progress;
			Object.assign(stored, { version: VERSION, polls, ...write(progress) });
			if (runs) stored.runs = { ...runs };
			else delete stored.runs;
		},
	};
}
