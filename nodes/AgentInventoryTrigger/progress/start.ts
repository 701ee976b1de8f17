import { CLOCK_DOUBT_MS, PUBLISHED_WITHIN_MS } from '../../common/polling/host';

/** The values of “Start From”. */
export const INVENTORY_STARTS = ['activation', 'lookBack'] as const;

export type StartFrom = (typeof INVENTORY_STARTS)[number];

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
export function inventoryStart({
	startFrom,
	now,
	isTold,
	isActivation,
	lookBackMs,
}: Beginning): number {
	const isFromNow = startFrom === 'activation' && isActivation;
	return now - (isTold ? 0 : CLOCK_DOUBT_MS) - (isFromNow ? PUBLISHED_WITHIN_MS : lookBackMs);
}
