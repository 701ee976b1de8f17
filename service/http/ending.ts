import compact from 'lodash/compact';

import { isObject } from '../basics/values';
import type { FailureDetails } from '../failure';
import { lateAnswer } from '../words';

/**
 * Awaits work, or rejects as soon as the signal is aborted. The work gets a signal too, and can stop. Work that
 * cannot be stopped goes on, and nobody waits for it. If the signal is aborted already, the work does not begin.
 *
 * @param work gets a signal that is aborted when it has to stop, and a function that adds another signal to end it
 * @param late the failure to throw if the time is over
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
		// A reason saves time: without one, Node makes an error with a stack for each abort.
	}).finally(() => settled.abort('settled'));
}

function isTimeout({ reason }: AbortSignal): boolean {
	return isObject(reason) && reason.name === 'TimeoutError';
}

/** The error that ends the work of a cancelled execution. n8n recognises it by these exact words. */
export function cancelled(): Error {
	return new Error('The execution was canceled');
}

/** A signal that is aborted when any of the given ones is, or at the deadline (epoch milliseconds). */
export function signalOf(
	signals: Array<AbortSignal | undefined>,
	deadline = Infinity,
): AbortSignal {
	const leftMs = Math.max(0, Math.ceil(deadline - Date.now()));
	const timer = leftMs < Infinity ? AbortSignal.timeout(leftMs) : undefined;
	// Node 20 drops a timeout signal without listeners; AbortSignal.any would then never be aborted.
	timer?.addEventListener('abort', () => {}, { once: true });
	return AbortSignal.any(compact([...signals, timer]));
}
