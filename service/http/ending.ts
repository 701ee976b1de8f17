import compact from 'lodash/compact';

import { isObject } from '../basics/values';
import type { FailureDetails } from '../failure';
import { lateAnswer } from '../words';

/**
 * The outcome of the work, or a rejection as soon as the signal ends it. The work learns of that by the signal that it is
 * given; work that cannot be stopped goes on, and nobody waits for it. It does not begin if it is over already.
 *
 * @param work may add what ends it
 * @param late what to tell of the work if its time is over
 * @throws ServiceError if the time is over; `cancelled` if nobody needs the outcome any more
 */
export async function orEnded<T>(
	work: (ended: AbortSignal, endBy: (signal: AbortSignal) => void) => Promise<T>,
	signal?: AbortSignal,
	late: () => FailureDetails = () => ({ requestKind: 'data' }),
): Promise<T> {
	const ended = new AbortController();
	const settled = new AbortController();
	return await new Promise<T>((resolve, reject) => {
		const endBy = (end: AbortSignal) => {
			const stop = () => {
				reject(isTimeout(end) ? lateAnswer(late()) : cancelled());
				ended.abort();
			};
			if (end.aborted) stop();
			else end.addEventListener('abort', stop, { once: true, signal: settled.signal });
		};
		if (signal) endBy(signal);
		if (!ended.signal.aborted) work(ended.signal, endBy).then(resolve, reject);
		// Node makes an error with a stack for each abort that has no reason.
	}).finally(() => settled.abort('settled'));
}

function isTimeout({ reason }: AbortSignal): boolean {
	return isObject(reason) && reason.name === 'TimeoutError';
}

/** What ends the work of a cancelled execution: n8n recognises it by these very words. */
export function cancelled(): Error {
	return new Error('The execution was canceled');
}

/** Aborted when any of the signals is, or at the deadline in epoch milliseconds. */
export function signalOf(
	signals: Array<AbortSignal | undefined>,
	deadline = Infinity,
): AbortSignal {
	const leftMs = Math.max(0, Math.ceil(deadline - Date.now()));
	const timer = leftMs < Infinity ? AbortSignal.timeout(leftMs) : undefined;
	// Node 20 drops a timeout that nobody listens to: AbortSignal.any would then never be aborted.
	timer?.addEventListener('abort', () => {}, { once: true });
	return AbortSignal.any(compact([...signals, timer]));
}
