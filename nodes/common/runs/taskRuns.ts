import { MINUTE_MS } from '../../../service/basics/times';

/** The pause before the fifth time that a task is run again. No other is longer. */
export const LONGEST_WAIT_FOR_RUN_MS = 16 * MINUTE_MS;

/** What is handed to a run of its own, such as a lead. */
export interface Task {
	/** The oldest is started first (epoch ms). */
	readonly time: number;
}

/** A task that has not ended, and how far its runs came. */
export interface TaskRuns<T extends Task = Task> {
	readonly id: string;
	readonly task: T;
	/** Tasks are numbered as they come. */
	readonly number: number;
	/** Which run is under way or is next: 1 is the first. n8n knows each by a key of its own. */
	attempt: number;
	/** How many runs before this one n8n did not begin: they are no runs of the task. */
	barred: number;
	/** How many of them since the workflow was published: each makes the pause longer. */
	barredPauses: number;
	/** When the run was started (epoch ms); unset while none is under way. */
	startedAt?: number;
	/** When the next run is due (epoch ms). */
	dueAt: number;
	/** Whether a process before this one may have started this attempt. */
	isInherited: boolean;
	/** How many times in a row n8n could not store this attempt, as far as it says. */
	unstored: number;
	/** Whether a run was planned at all. */
	hasBegun: boolean;
}

/** How long a task still waits, in milliseconds: a clock that went back must not make it hours. */
export function leftMs({ dueAt }: TaskRuns, now: number): number {
	const left = Math.max(0, dueAt - now);
	return left > LONGEST_WAIT_FOR_RUN_MS ? 0 : left;
}

/** Whether n8n may know a run of this attempt that has failed. */
export function isUnsure({ isInherited, unstored }: TaskRuns): boolean {
	return isInherited || unstored > 0;
}

/** Whether a run is under way or has ended, as far as is known: rather one too many than none. */
export function hasRun(runs: TaskRuns): boolean {
	const { barred, startedAt, hasBegun } = runs;
	const isFirst = runNumber(runs) === 1 && startedAt === undefined;
	return hasBegun && !(isFirst && (isUnsure(runs) || barred > 0));
}

/** Which run of the task is under way or is next, of those that n8n begins. */
export function runNumber({ attempt, barred }: TaskRuns): number {
	return attempt - barred;
}
