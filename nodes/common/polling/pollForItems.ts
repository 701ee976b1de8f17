import type { INodeExecutionData } from 'n8n-workflow';

import type { Task } from '../runs/queue';
import type { AnyProgress, NodeMemory, Occasion, RunTracker } from './memory';

/** A poll that hands over all that it finds in one run. */
export interface BegunPoll<P> {
	/** @throws what the poll fails of */
	ask(): Promise<void>;
	/** How far it came. */
	reached(polls: number): P;
	/** What it found, in order. */
	items(): INodeExecutionData[];
}

/**
 * The frame of a poll that hands over all that it finds in one run: n8n stores the progress together with the items. Without
 * items not every host stores it, and the memory keeps it.
 *
 * @param begin asks the service for nothing that counts yet
 * @returns null if there is nothing to hand over
 */
export async function pollForItems<
	P extends AnyProgress,
	T extends Task,
	H extends RunTracker<P, T>,
>(
	{ context, memory, isActivation }: Occasion<NodeMemory<P, T, H>>,
	begin: (known: P) => BegunPoll<P>,
): Promise<INodeExecutionData[][] | null> {
	memory.leaveRuns();
	const staticData = context.getWorkflowStaticData('node');
	const stored = memory.format.read(staticData);
	if (memory.isBehind(stored) && !isActivation) return null;
	const known = memory.goOnFrom(stored, isActivation);

	const poll = begin(known);
	await poll.ask();

	const reached = poll.reached(known.polls + 1);
	const items = poll.items();
	memory.format.write(staticData, reached);
	if (items.length > 0) {
		memory.noteHandOver(reached);
		return [items];
	}
	memory.noteQuiet(stored, reached, isActivation);
	return null;
}
