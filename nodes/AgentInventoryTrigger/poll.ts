import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { claimActivation, isDurable } from '../common/polling/host';
import { memories, PolledNode } from '../common/polling/polledNode';
import { emitterFor, nodeKey } from '../common/runs/emitter';
import type { TaskWords } from '../common/runs/notices';
import { askForChanges } from './ask';
import { changeJson } from './item';
import type { Progress } from './progress';
import { INVENTORY_FORMAT } from './progress';
import type { Settings } from './settings';
import type { ChangeToRun } from './tracker';
import { changeKeyOf, ChangeTracker } from './tracker';

/** Finds or creates the memory that this process keeps of one Agent Inventory Trigger. */
export const memoryOf = memories(
	() => new PolledNode<Progress, ChangeToRun, ChangeTracker>(INVENTORY_FORMAT),
);

const CHANGE_WORDS: TaskWords<ChangeToRun> = {
	one: 'change',
	title: ({ id }) => `the change of property ${id}`,
};

/**
 * Polls once. The reading of each agency continues where the previous poll left it.
 *
 * @returns the changes, oldest first; null if there are none, or if each change has a run of its own
 * @throws NodeApiError or ServiceError if the service answered for no agency or, in an activation, refused a request;
 * the stored progress then stays as it is
 */
export async function pollInventory(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][] | null> {
	const isActivation = claimActivation(context);
	let isBaselineRead = false;
	const onBaseline = () => (isBaselineRead = true);
	const memory = memoryOf(context);
	const occasion = { context, settings, memory, isActivation, onBaseline };
	const workflow = context.getWorkflow().id;
	const node = context.getNode().id;
	const items = await memory.poll(occasion, {
		...settings,
		words: CHANGE_WORDS,
		begin: (known, terms) => new ChangeTracker(known, terms),
		ask: async (tracker, limits) => await askForChanges(occasion, limits, tracker),
		json: (change) => changeJson(change, change.agencyRef, settings.simplify),
		keyOf: (change, attempt) => changeKeyOf(workflow, node, change, attempt),
	});
	// The baseline, that is the first reading of all properties, takes several polls for a large agency, and n8n's
	// default scheduler does not store the progress of a poll without items. So n8n is made to store it here.
	// Otherwise, after a restart, the trigger would read the baseline again and miss the changes in between.
	if (isBaselineRead && !isActivation && !items && !isDurable(context)) {
		await emitterFor(context)?.persist(`${nodeKey(context)}:baseline:${Date.now()}`);
	}
	return items;
}
