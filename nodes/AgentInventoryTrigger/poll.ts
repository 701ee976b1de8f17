import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { claimActivation } from '../common/polling/host';
import { pollInTurn } from '../common/polling/pollInTurn';
import { memoryOfNode } from './inventoryMemory';
import { pollForRuns } from './onePerChange';
import { pollForOneRun } from './onePerPoll';
import type { Settings } from './settings';

/**
 * One poll of the trigger: every agency goes on from its own progress.
 *
 * @returns the changes, oldest first, or null if there are none or each has a run of its own
 * @throws NodeApiError or ServiceError when no agency was answered; the stored progress is unchanged then
 */
export async function pollInventory(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][] | null> {
	const memory = memoryOfNode(context);
	const isActivation = claimActivation(context);
	const occasion = { context, settings, memory, isActivation };
	return await pollInTurn(memory, isActivation, async () =>
		settings.runs === 'onePerChange' ? await pollForRuns(occasion) : await pollForOneRun(occasion),
	);
}
