import type { LeadToRun } from '../../../../nodes/AgentLeadsTrigger/runs/handOver';
import { HandOver } from '../../../../nodes/AgentLeadsTrigger/runs/handOver';
import type { RunEnd } from '../../../../nodes/common/runs/runOutcome';
import type { QueueTerms } from '../../../../nodes/common/runs/taskQueue';
import type { TaskRuns } from '../../../../nodes/common/runs/taskRuns';
import { DeliveredLeads } from '../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { Progress } from '../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import { NOON, polledUpTo } from '../progress';

export const TARGET = 'applicant';

/** How far a target was asked. */
export const targetsUpTo = (watermark: number): Progress['targets'] =>
	new Map([[TARGET, polledUpTo(watermark)]]);

export const NOTHING_STORED: Progress = {
	polls: 0,
	targets: targetsUpTo(NOON),
	delivered: new DeliveredLeads(),
};

/** A hand-over by a clock that the test sets. */
export function handOverBench(more: Partial<QueueTerms> = {}, stored = NOTHING_STORED) {
	const clock = { now: NOON };
	const terms: QueueTerms = { runAgain: 0, now: () => clock.now, random: () => 0, ...more };
	const handOver = new HandOver(stored, terms);
	const lead = (key: string, time = NOON): LeadToRun => ({
		lead: { id: key },
		key,
		time,
		leadType: 'applicant',
	});
	/** A poll that finds these leads, as far as they are to be added. */
	const poll = (keys: string[], watermark = clock.now) => {
		for (const [index, key] of keys.entries()) {
			if (handOver.claim('applicant', key, clock.now)) handOver.add(lead(key, NOON + index));
		}
		handOver.notePoll(targetsUpTo(watermark), new Map());
	};
	/** Starts what may be started now. */
	const start = (): TaskRuns<LeadToRun>[] => {
		const started: TaskRuns<LeadToRun>[] = [];
		for (let runs = handOver.queue.next(); runs; runs = handOver.queue.next()) {
			handOver.queue.noteStart(runs);
			started.push(runs);
		}
		return started;
	};
	/** Starts what may be started, all of which ends so. */
	const startAll = (end: RunEnd) => {
		const started = start();
		for (const runs of started) handOver.queue.settle(runs, end);
		return keysOf(started);
	};
	const watermark = () => handOver.progress.targets.get(TARGET)?.watermark;
	const planned = () => Object.fromEntries(handOver.progress.runs?.started ?? []);
	const hasEnded = (key: string) =>
		handOver.progress.delivered.copy().recall('applicant', key, clock.now);
	return { clock, terms, handOver, lead, poll, start, startAll, watermark, planned, hasEnded };
}

export const keysOf = (runs: TaskRuns<LeadToRun>[]) => runs.map(({ task }) => task.key);
