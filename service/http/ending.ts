import compact from 'lodash/compact';

import { isObject } from '../basics/values';
import type { FailureDetails } from '../failure';
import { lateAnswer } from '../words';

/**
 * Awaits work, but rejects as soon as a signal is aborted. The work gets a signal too, so that it can stop. Work that
 * cannot be stopped continues, and its result is ignored. If the signal is already aborted, the work is not started.
 *
 * @param work gets a signal that is aborted when it has to stop, and a function that adds another signal by which it is
 * stopped
 * @param late returns the details of the error to throw if the time is over
 * @throws ServiceError if the time is over; the error of `cancelled` if the result is no longer needed
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
		// The text 'settled' is given to `abort` only to save time: if `abort` gets no reason, Node creates an error
		// with a stack each time.
	}).finally(() => settled.abort('settled'));
}

function isTimeout({ reason }: AbortSignal): boolean {
	return isObject(reason) && reason.name === 'TimeoutError';
}

/** Makes the error with which the work of a cancelled execution ends. n8n recognises it by these exact words. */
export function cancelled(): Error {
	return new Error('The execution was canceled');
}

/** Makes a signal that is aborted when any of the given signals is aborted, or at the deadline (epoch milliseconds). */
export function signalOf(
	signals: Array<AbortSignal | undefined>,
	deadline = Infinity,
): AbortSignal {
	const leftMs = Math.max(0, Math.ceil(deadline - Date.now()));
	const timer = leftMs < Infinity ? AbortSignal.timeout(leftMs) : undefined;
	// Node 20 drops a timeout signal without listeners, and AbortSignal.any would then never be aborted. So this signal
	// gets a listener that does nothing.
	timer?.addEventListener('abort', () => {}, { once: true });
	return AbortSignal.any(compact([...signals, timer]));
}
