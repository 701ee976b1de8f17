/** What ends some work before it is done, and the error that its caller then gets. */
export interface Ending {
	signal: AbortSignal | undefined;
	reason: () => Error;
}

/**
 * The outcome of the work, or a rejection as soon as something ends it. The work learns of that by the signal that it is
 * given; work that cannot be stopped goes on, and nobody waits for it. It does not begin if it is over already.
 *
 * @param work may add what ends it
 */
export async function orEnded<T>(
	work: (ended: AbortSignal, endBy: (ending: Ending) => void) => Promise<T>,
	endings: Ending[],
): Promise<T> {
	const ended = new AbortController();
	const settled = new AbortController();
	return await new Promise<T>((resolve, reject) => {
		const endBy = ({ signal, reason }: Ending) => {
			const end = () => {
				reject(reason());
				ended.abort();
			};
			if (signal?.aborted) end();
			else signal?.addEventListener('abort', end, { once: true, signal: settled.signal });
		};
		for (const ending of endings) endBy(ending);
		if (!ended.signal.aborted) work(ended.signal, endBy).then(resolve, reject);
		// Node makes an error with a stack for each abort that has no reason.
	}).finally(() => settled.abort('settled'));
}

/** What ends the work of a cancelled execution: n8n recognises it by these very words. */
export function cancelled(): Error {
	return new Error('The execution was canceled');
}

/** A timeout in whole milliseconds. HTTP clients take 0 for no timeout at all. */
export function timerMs(ms: number): number {
	return Math.max(1, Math.ceil(ms));
}

/** Aborted at a moment in epoch milliseconds; undefined if there is no such moment. */
export function signalAt(deadline = Infinity): AbortSignal | undefined {
	return Number.isFinite(deadline)
		? AbortSignal.timeout(timerMs(deadline - Date.now()))
		: undefined;
}
