import type { IDataObject } from 'n8n-workflow';

import { readStoredRuns } from '../runs/queue';
import { UnreadableProgress } from '../storedValues';
import type { AnyProgress } from './taskTracker';

/**
 * Reads and writes a node's progress in the data that n8n stores for the node. docs/architecture.md explains the
 * content.
 */
export interface ProgressFormat<P extends AnyProgress> {
	/**
	 * @throws UnreadableProgress if the data cannot be read: a new start would lose tasks, such as leads, or repeat
	 * them
	 */
	read(stored: IDataObject): P;
	write(stored: IDataObject, progress: P): void;
}

const VERSION = 1;

/**
 * Makes the format in which one kind of trigger stores its progress. The number of polls and the runs are read and
 * written in the same way for all triggers.
 *
 * @param empty the input for `read` if the node has not polled yet
 * @param read reads the parts of the progress that only this trigger has
 * @param write writes the same parts in the form in which they are stored
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
