import type { ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';

import { dropEmitter, emitterFor, keepEmitter } from '../runs/emitter';
import { noEmitterNotice } from '../runs/notices';
import type { Task } from '../runs/queue';
import type { PollLimits } from './host';
import type { AnyProgress, BeginTracking, NodeMemory, Occasion, RunTracker } from './memory';
import type { TaskRuns } from './runner';
import { reportNothingSent } from './unsent';

/** What a poll asks for while it hands over each task to a run of its own. */
export interface TasksPoll<P extends AnyProgress, T extends Task, H> extends TaskRuns<T> {
	begin: BeginTracking<P, H>;
	/** What asks the service, and adds the tasks that it finds. */
	askingFor(tracker: H): TasksAsking;
}

interface TasksAsking {
	limits: Pick<PollLimits, 'deadline'>;
	/** @throws what the poll fails of */
	readonly ask: () => Promise<void>;
}

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function keepRunning<P extends AnyProgress, T extends Task, H extends RunTracker<P, T>>(
	context: ITriggerFunctions,
	memory: NodeMemory<P, T, H>,
): ITriggerResponse {
	const emitter = keepEmitter(context);
	memory.runs?.tracker.queue.retryNow();
	reportNothingSent(context, memory);
	const closeFunction = async () => {
		if (dropEmitter(context, emitter)) await memory.runs?.persist();
	};
	return { closeFunction };
}

/**
 * A poll that hands each task to a run of its own: runs are started while it goes on, and after it.
 *
 * @throws what the service failed with; runs go on all the same, unless this is an activation
 */
export async function pollWithRuns<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
>(
	{ context, memory, isActivation }: Occasion<NodeMemory<P, T, H>>,
	poll: TasksPoll<P, T, H>,
): Promise<null> {
	const emitter = emitterFor(context);
	if (!emitter) {
		// With durable cursors n8n polls before it has started the trigger, and in processes that never do.
		if (memory.mayLog('no emitter')) context.logger.info(noEmitterNotice(poll.words));
		return null;
	}
	const staticData = context.getWorkflowStaticData('node');
	const terms = { runAgain: poll.runAgain, now: () => Date.now() };
	const stored = memory.format.read(staticData);
	const runner = memory.runnerFrom(stored, isActivation, terms, poll.begin);
	const { limits, ask } = poll.askingFor(runner.tracker);
	let isAsked = false;
	try {
		await ask();
		isAsked = true;
	} finally {
		const running = { ...poll, context, emitter, isActivation, staticData, ...limits };
		if (isAsked || !isActivation) await runner.startRuns(running);
		else runner.tracker.restart();
	}
	return null;
}
