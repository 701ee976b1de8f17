import type { IPollFunctions } from 'n8n-workflow';

import { startersOfPushes } from '../common/runs/starters';
import type { Starter } from '../common/runs/startRun';
import { besidePushesNotice } from './notices';

/** What n8n's log was told of: a node that leads are pushed to has a new starter in each publication. */
const toldOfPushes = new WeakSet<Starter>();

/** Tells once in a publication that leads run twice, for a poll that hands over all of its leads in one run. */
export function tellOfPushes(context: IPollFunctions): void {
	const untold = startersOfPushes(context).filter((starter) => !toldOfPushes.has(starter));
	if (untold.length === 0) return;
	for (const starter of untold) toldOfPushes.add(starter);
	context.logger.warn(besidePushesNotice());
}
