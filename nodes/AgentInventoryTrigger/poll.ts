import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { claimActivation, isDurable } from '../common/polling/host';
import { pollInTurn } from '../common/polling/memory';
import { emitterFor, nodeKey } from '../common/runs/emitter';
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
	let isToStore = false;
	const onBaseline = () => (isToStore = true);
	const occasion = { context, settings, memory, isActivation, onBaseline };
	return await pollInTurn(memory, isActivation, async () => {
		const poll = settings.runs === 'onePerChange' ? pollForEachChange : pollForAllChanges;
		const items = await poll(occasion);
		// n8n stores what an activation has read, and what comes with items.
		if (isToStore && !isActivation && !items) await storeBaseline(context);
		return items;
	});
}

/**
 * The baseline of a large agency takes several polls, and n8n's default scheduler stores none that brings nothing. A restart would
 * take it anew, and what changed meanwhile would never be told.
 */
async function storeBaseline(context: IPollFunctions): Promise<void> {
	if (isDurable(context)) return;
	await emitterFor(context)?.persist(`${nodeKey(context)}:baseline:${Date.now()}`);
}
