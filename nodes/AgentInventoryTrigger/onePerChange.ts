import type { INodeExecutionData, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { keepRunning, pollWithRuns } from '../common/polling/pollWithRuns';
import type { TaskWords } from '../common/runs/notices';
import type { PollOccasion } from './asking';
import { InventoryAsking } from './asking';
import { changeJson } from './changeItem';
import { inventoryMemoryOf } from './inventoryMemory';
import { changeKeyOf } from './changeKey';
import type { ChangeTracker, ChangeToRun } from './changeTracker';
import { trackChanges } from './changeTracker';

/** So many changes wait for their runs before the service is asked for no more. */
const MOST_WAITING_CHANGES = 1_000;

export const CHANGE_WORDS: TaskWords<ChangeToRun> = {
	one: 'change',
	many: 'changes',
	title: ({ id }) => `the change of property ${id}`,
};

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function beginChangeRuns(context: ITriggerFunctions): ITriggerResponse {
	return keepRunning(context, inventoryMemoryOf(context));
}

/** A poll that hands each change to a run of its own. */
export async function pollForEachChange(
	occasion: PollOccasion,
): Promise<INodeExecutionData[][] | null> {
	const { context, settings } = occasion;
	const workflow = context.getWorkflow().id;
	return await pollWithRuns(occasion, {
		words: CHANGE_WORDS,
		runAgain: settings.runAgain,
		begin: trackChanges,
		askingFor: (tracker) => askForChanges(occasion, tracker),
		// A node of the workflow may change what it is given: the next run gets the property as the service sent it.
		json: (change) => changeJson(deepCopy(change), change.agencyRef, settings.simplify),
		keyOf: (change, attempt) => changeKeyOf(workflow, change, change.begunAt, attempt),
	});
}

function askForChanges(occasion: PollOccasion, tracker: ChangeTracker) {
	const { agencies } = tracker;
	const asking = new InventoryAsking(occasion, agencies, {
		add: (change) => tracker.add(change),
		hasRoom: () => tracker.queue.waitingCount < MOST_WAITING_CHANGES,
		isOpen: (agency, id) => tracker.isOpen(agency, id),
		holds: true,
	});
	const ask = async () => {
		await asking.begin();
		try {
			await asking.ask();
			tracker.notePoll();
		} finally {
			tracker.keep(asking.reached);
		}
	};
	return { limits: asking.limits, ask };
}
