import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { tellOfPushes } from './besidePushes';
import { claimActivation } from './host';
import { memoryOfNode } from './nodeMemory';
import { pollForOneRun } from './onePerPoll';
import { pollForRuns } from './onePerLead';
import type { Settings } from './settings';

/**
 * One poll of the trigger: every target goes on from its own progress.
 *
 * @returns the leads, oldest first, or null if there are none or each has a run of its own
 * @throws NodeApiError or ServiceError when no target was answered; the stored progress is unchanged
 * then
 */
export async function pollLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][] | null> {
	const memory = memoryOfNode(context);
	const isActivation = claimActivation(context);
	// A tick gives way: the next one takes over what is left. An activation has no next one.
	while (memory.current) {
		if (!isActivation) return null;
		const { delivered } = memory;
		await Promise.allSettled([memory.current]);
		// n8n drops what a poll brings while its workflow is published anew.
		memory.delivered = delivered;
	}
	if (settings.runs === 'onePerPoll') tellOfPushes(context);
	const occasion = { context, settings, memory, isActivation };
	const poll = settings.runs === 'onePerLead' ? pollForRuns(occasion) : pollForOneRun(occasion);
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}
