import { DAY_MS } from '../../../service/basics/times';
import { RETENTION_MS } from '../../../service/leads/leads';
import { PUBLISHED_WITHIN_MS } from '../../common/polling/start';

/** The values of “Start From”. */
export const STARTS = ['activation', 'last24Hours', 'last30Days'] as const;

export type StartFrom = (typeof STARTS)[number];

interface Beginning {
	startFrom: StartFrom;
	/** When the poll began, by the service's clock as far as it is known. */
	now: number;
	/** How far that may be wrong. */
	doubtMs: number;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	lookBackMs: number;
}

/**
 * From when on the leads of a new target are delivered. With “activation” that is now, and the moment
 * before in which n8n may already have said that the workflow is published. A later poll that knows of
 * no activation comes after a crash: it reaches back, since a lead too many is better than one too few.
 *
 * @returns epoch milliseconds
 */
export function startTime({
	startFrom,
	now,
	doubtMs,
	isActivation,
	lookBackMs,
}: Beginning): number {
	switch (startFrom) {
		case 'last24Hours':
			return now - DAY_MS;
		case 'last30Days':
			return now - RETENTION_MS;
		case 'activation':
			return isActivation ? now - PUBLISHED_WITHIN_MS - doubtMs : now - lookBackMs;
	}
}
