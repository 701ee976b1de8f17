import type { RunEnd } from '../../../../nodes/common/runs/runOutcome';
import type { StoredRuns } from '../../../../nodes/common/runs/storedRuns';
import type { QueueTerms } from '../../../../nodes/common/runs/taskQueue';
import { TaskQueue } from '../../../../nodes/common/runs/taskQueue';
import type { Task, TaskRuns } from '../../../../nodes/common/runs/taskRuns';
import { NOON } from '../progress';

/** Of the tests: a task that is known by its name. */
export interface NamedTask extends Task {
	name: string;
}

/** A queue by a clock that the test sets. */
export function queueBench(more: Partial<QueueTerms> = {}, stored?: StoredRuns) {
	const clock = { now: NOON };
	const terms: QueueTerms = { runAgain: 0, now: () => clock.now, random: () => 0, ...more };
	const ended = new Set<string>();
	const queue = new TaskQueue<NamedTask>(stored, terms, ({ name }) => ended.add(name));
	/** Adds those that are not on their way, and have not ended. */
	const add = (...names: string[]) => {
		for (const [index, name] of names.entries()) {
			if (!ended.has(name) && !queue.has(name)) queue.add(name, { name, time: NOON + index });
		}
	};
	/** Starts what may be started now. */
	const start = (): Array<TaskRuns<NamedTask>> => {
		const started: Array<TaskRuns<NamedTask>> = [];
		for (let runs = queue.next(); runs; runs = queue.next()) {
			queue.noteStart(runs);
			started.push(runs);
		}
		return started;
	};
	/** Starts what may be started, all of which ends so. */
	const startAll = (end: RunEnd) => {
		const started = start();
		for (const runs of started) queue.settle(runs, end);
		return namesOf(started);
	};
	const planned = () => Object.fromEntries(queue.stored.started);
	const hasEnded = (name: string) => ended.has(name);
	return { clock, terms, queue, add, start, startAll, planned, hasEnded };
}

export const namesOf = (runs: Array<TaskRuns<NamedTask>>) => runs.map(({ task }) => task.name);
