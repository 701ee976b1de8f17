import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { claimActivation } from '../common/polling/host';
import { pollInTurn } from '../common/polling/pollInTurn';
import { tellOfPushes } from './besidePushes';
import { memoryOfNode } from './leadsMemory';
import { pollForRuns } from './onePerLead';
import { pollForOneRun } from './onePerPoll';
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
	const occasion = { context, settings, memory, isActivation };
	return await pollInTurn(memory, isActivation, async () => {
		if (settings.runs === 'onePerLead') return await pollForRuns(occasion);
		tellOfPushes(context);
		return await pollForOneRun(occasion);
	});
}
