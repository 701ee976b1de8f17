import type { PollMemory } from './pollMemory';

/**
 * Runs the polls of a node one after the other. A tick is skipped while a poll is under way: the next one takes over what is left.
 * An activation has no next one, and waits.
 *
 * @returns null if it is skipped
 */
export async function pollInTurn<P, R>(
	memory: PollMemory & { handed?: P },
	isActivation: boolean,
	begin: () => Promise<R>,
): Promise<R | null> {
	while (memory.current) {
		if (!isActivation) return null;
		const { handed } = memory;
		await Promise.allSettled([memory.current]);
		// n8n drops what a poll brings while its workflow is published anew.
		memory.handed = handed;
	}
	const poll = begin();
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}
