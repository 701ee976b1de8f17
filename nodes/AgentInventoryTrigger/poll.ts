import sortBy from 'lodash/sortBy';
import type {
	INodeExecutionData,
	IPollFunctions,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { claimActivation, isDurable } from '../common/polling/host';
import { memories, NodeMemory, pollInTurn } from '../common/polling/memory';
import type { BegunPoll } from '../common/polling/pollForItems';
import { pollForItems } from '../common/polling/pollForItems';
import { keepRunning, pollWithRuns } from '../common/polling/pollWithRuns';
import { emitterFor, nodeKey } from '../common/runs/emitter';
import type { TaskWords } from '../common/runs/notices';
import type { PollOccasion } from './ask';
import { InventoryAsking } from './ask';
import { changeJson } from './item';
import type { Progress } from './progress';
import { copiesOf, INVENTORY_FORMAT, leaveStarted } from './progress';
import type { Settings } from './settings';
import type { ChangeToRun } from './tracker';
import { changeKeyOf, ChangeTracker } from './tracker';

/** A longer backlog is delivered by several polls: n8n holds an execution's items in memory. */
const MOST_CHANGES = 10_000;

/** So many changes wait for their runs before the service is asked for no more. */
const MOST_WAITING_CHANGES = 1_000;

const memoryOf = memories(
	() => new NodeMemory<Progress, ChangeToRun, ChangeTracker>(INVENTORY_FORMAT),
);

const CHANGE_WORDS: TaskWords<ChangeToRun> = {
	one: 'change',
	many: 'changes',
	title: ({ id }) => `the change of property ${id}`,
};

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function beginChangeRuns(context: ITriggerFunctions): ITriggerResponse {
	return keepRunning(context, memoryOf(context));
}

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
	const memory = memoryOf(context);
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

/** A poll that hands each change to a run of its own. */
async function pollForEachChange(occasion: PollOccasion): Promise<INodeExecutionData[][] | null> {
	const { context, settings } = occasion;
	const workflow = context.getWorkflow().id;
	const node = context.getNode().id;
	return await pollWithRuns(occasion, {
		words: CHANGE_WORDS,
		runAgain: settings.runAgain,
		begin: (known, terms) => new ChangeTracker(known, terms),
		askingFor: (tracker) => askForChanges(occasion, tracker),
		// A node of the workflow may change what it is given: the next run gets the property as the service sent it.
		json: (change) => changeJson(deepCopy(change), change.agencyRef, settings.simplify),
		keyOf: (change, attempt) => changeKeyOf(workflow, node, change, attempt),
	});
}

function askForChanges(occasion: PollOccasion, tracker: ChangeTracker) {
	const asking = new InventoryAsking(occasion, tracker.agencies, {
		add: (change) => tracker.add(change),
		hasRoom: () => tracker.queue.waitingCount < MOST_WAITING_CHANGES,
		openOf: (agency, id) => tracker.openOf(agency, id),
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

/** A poll that hands over all of its changes in one run. */
async function pollForAllChanges(occasion: PollOccasion): Promise<INodeExecutionData[][] | null> {
	return await pollForItems(occasion, async (known) => await beginChangesPoll(occasion, known));
}

async function beginChangesPoll(
	occasion: PollOccasion,
	stored: Progress,
): Promise<BegunPoll<Progress>> {
	const { settings } = occasion;
	const known = stored.agencies;
	const agencies = copiesOf(known);
	for (const agency of agencies.values()) leaveStarted(agency);
	const found: ChangeToRun[] = [];
	const asking = new InventoryAsking(occasion, agencies, {
		add: (change) => found.push(change),
		hasRoom: () => found.length < MOST_CHANGES,
		openOf: () => undefined,
		holds: false,
	});
	await asking.begin();
	const begun: Progress = { ...stored, agencies: new Map(known) };
	return {
		begun,
		ask: async () => {
			try {
				await asking.ask();
			} finally {
				// An agency that begins has its start, even if this poll fails.
				for (const [key, agency] of asking.begun) begun.agencies.set(key, agency);
			}
		},
		reached: (polls) => ({ polls, agencies: asking.reached }),
		items: () =>
			sortBy(found, 'time').map((change) => ({
				json: changeJson(change, change.agencyRef, settings.simplify),
			})),
	};
}
