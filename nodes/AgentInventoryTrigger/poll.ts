import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { claimActivation } from '../common/polling/host';
import { pollInTurn } from '../common/polling/pollInTurn';
import { inventoryMemoryOf } from './inventoryMemory';
import { pollForEachChange } from './onePerChange';
import { pollForAllChanges } from './onePerPoll';
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
	const memory = inventoryMemoryOf(context);
	const isActivation = claimActivation(context);
	const occasion = { context, settings, memory, isActivation };
	return await pollInTurn(memory, isActivation, async () =>
		settings.runs === 'onePerChange'
			? await pollForEachChange(occasion)
			: await pollForAllChanges(occasion),
	);
}
