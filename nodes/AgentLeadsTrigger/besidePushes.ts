import type { IPollFunctions } from 'n8n-workflow';

import type { RunEmitter } from '../common/runs/emitter';
import { emittersOfPushes } from '../common/runs/emitter';
import { besidePushesNotice } from './notices';

/** What n8n's log was told of: a node that leads are pushed to has a new emitter in each publication. */
const toldOfPushes = new WeakSet<RunEmitter>();

/** Tells once in a publication that leads run twice, for a poll that hands over all of its leads in one run. */
export function tellOfPushes(context: IPollFunctions): void {
	const untold = emittersOfPushes(context).filter((emitter) => !toldOfPushes.has(emitter));
	if (untold.length === 0) return;
	for (const emitter of untold) toldOfPushes.add(emitter);
	context.logger.warn(besidePushesNotice());
}
