import { MINUTE_MS } from '../../../service/basics/times';

/** The values of “Start From”. */
export const STARTS = ['activation', 'lookBack'] as const;

export type StartFrom = (typeof STARTS)[number];

/** n8n may return from publishing a while before it polls first; what comes meanwhile counts. */
const PUBLISHED_WITHIN_MS = MINUTE_MS;

/** How far the host’s clock may be off while the service has not told its time. */
export const CLOCK_DOUBT_MS = 10 * MINUTE_MS;

interface Beginning {
	startFrom: StartFrom;
	/** When the poll began, by the service’s clock as far as it is known (epoch ms). */
	now: number;
	/** Whether the service has told its time. */
	isTold: boolean;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	lookBackMs: number;
}

/**
 * From when on a property counts as new. A poll that knows of no activation comes after a crash, or with an agency that was
 * added: it reaches back.
 *
 * @returns epoch milliseconds
 */
export function startTime({ startFrom, now, isTold, isActivation, lookBackMs }: Beginning): number {
	const isFromNow = startFrom === 'activation' && isActivation;
	return now - (isTold ? 0 : CLOCK_DOUBT_MS) - (isFromNow ? PUBLISHED_WITHIN_MS : lookBackMs);
}
