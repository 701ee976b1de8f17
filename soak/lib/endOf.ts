import { setMaxListeners } from 'node:events';

import { MINUTE_MS } from '../../service/basics/times';
import { Failure } from '../../test/lab/failure';

/** Aborts after a time. */
export function endOf(ms: number): AbortSignal {
	const controller = new AbortController();
	// Each lead or change waits for its time.
	setMaxListeners(0, controller.signal);
	const late = new Failure(`Not done in ${ms / MINUTE_MS} minutes.`);
	setTimeout(() => controller.abort(late), ms).unref();
	return controller.signal;
}
