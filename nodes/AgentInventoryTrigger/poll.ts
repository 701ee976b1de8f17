import sortBy from 'lodash/sortBy';
import type {
	INodeExecutionData,
	IPollFunctions,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { claimActivation, isDurable, limitsOfPoll } from '../common/polling/host';
import { memories, NodeMemory, pollInTurn } from '../common/polling/memory';
import type { BegunPoll } from '../common/polling/pollForItems';
import { pollForItems } from '../common/polling/pollForItems';
import { keepRunning, pollWithRuns } from '../common/polling/pollWithRuns';
import { emitterFor, nodeKey } from '../common/runs/emitter';
import type { TaskWords } from '../common/runs/notices';
import type { Basket, ChangeToRun, PollOccasion } from './ask';
import { askForChanges } from './ask';
import { changeJson } from './item';
import type { Progress } from './progress';
import { INVENTORY_FORMAT, leaveStarted } from './progress';
import type { Settings } from './settings';
import { changeKeyOf, ChangeTracker } from './tracker';

/** A longer backlog is delivered by several polls: n8n holds an execution's items in memory. */
const MOST_CHANGES = 10_000;

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
	let isBaselineRead = false;
	const onBaseline = () => (isBaselineRead = true);
	const occasion = { context, settings, memory, isActivation, onBaseline };
	return await pollInTurn(memory, isActivation, async () => {
		const items =
			settings.runs === 'onePerChange'
				? await pollForEachChange(occasion)
				: await pollForItems(occasion, (known) => beginChangesPoll(occasion, known));
		// The baseline of a large agency takes several polls, and n8n's default scheduler stores none that brings nothing. A restart
		// would take it anew, and what changed meanwhile would never be told.
		if (isBaselineRead && !isActivation && !items && !isDurable(context)) {
			await emitterFor(context)?.persist(`${nodeKey(context)}:baseline:${Date.now()}`);
		}
		return items;
	});
}

/** A poll that hands each change to a run of its own. */
async function pollForEachChange(occasion: PollOccasion): Promise<null> {
	const { context, settings } = occasion;
	const workflow = context.getWorkflow().id;
	const node = context.getNode().id;
	return await pollWithRuns(occasion, {
		words: CHANGE_WORDS,
		runAgain: settings.runAgain,
		begin: (known, terms) => new ChangeTracker(known, terms),
		askingFor: (tracker) => {
			const limits = limitsOfPoll(occasion, settings.limits);
			const ask = async () => {
				await askForChanges(occasion, limits, tracker);
				tracker.notePoll();
			};
			return { limits, ask };
		},
		// A node of the workflow may change what it is given: the next run gets the property as the service sent it.
		json: (change) => changeJson(deepCopy(change), change.agencyRef, settings.simplify),
		keyOf: (change, attempt) => changeKeyOf(workflow, node, change, attempt),
	});
}

/** A poll that hands over all of its changes in one run. */
function beginChangesPoll(occasion: PollOccasion, stored: Progress): BegunPoll<Progress> {
	const { settings } = occasion;
	// A poll that fails must leave no trace in what is known.
	const agencies = structuredClone(stored.agencies);
	for (const agency of agencies.values()) leaveStarted(agency);
	const found: ChangeToRun[] = [];
	const basket: Basket = {
		agencies,
		add: (change) => {
			found.push(change);
			agencies.get(change.agency)?.known.set(change.id, change.after);
		},
		hasRoom: () => found.length < MOST_CHANGES,
		openOf: () => undefined,
	};
	const limits = limitsOfPoll(occasion, settings.limits);
	return {
		ask: async () => await askForChanges(occasion, limits, basket),
		reached: (polls) => ({ polls, agencies }),
		items: () =>
			sortBy(found, 'time').map((change) => ({
				json: changeJson(change, change.agencyRef, settings.simplify),
			})),
	};
}
