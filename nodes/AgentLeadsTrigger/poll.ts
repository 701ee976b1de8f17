import sortBy from 'lodash/sortBy';
import type {
	IDataObject,
	INodeExecutionData,
	IPollFunctions,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { leadJson } from '../common/leads/simplifyLead';
import { claimActivation } from '../common/polling/host';
import { pollInTurn } from '../common/polling/memory';
import type { BegunPoll } from '../common/polling/pollForItems';
import { pollForItems } from '../common/polling/pollForItems';
import { keepRunning, pollWithRuns } from '../common/polling/pollWithRuns';
import { emittersOfPushes } from '../common/runs/emitter';
import type { TaskWords } from '../common/runs/notices';
import { runKeyOf } from '../common/runs/runKey';
import type { PollOccasion } from './askLeads';
import { LeadsAsking } from './askLeads';
import type { LeadToRun } from './leadTracker';
import { LeadTracker, memoryOfNode } from './leadTracker';
import type { Settings } from './settings';
import type { Progress } from './storedProgress';

/** One per Poll: a longer backlog is delivered by several polls, since n8n holds an execution's items in memory. */
const MOST_LEADS = 10_000;

export const LEAD_WORDS: TaskWords<LeadToRun> = {
	one: 'lead',
	many: 'leads',
	title: ({ leadType, key }) => `the ${leadType} lead ${key}`,
};

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function beginRuns(context: ITriggerFunctions): ITriggerResponse {
	return keepRunning(context, memoryOfNode(context));
}

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
	if (isActivation) memory.publication.note();
	// A lead too many is better than one too few: what came just before n8n was killed may not have been delivered.
	else memory.publication.guess(settings.startFrom === 'activation' ? settings.lookBackMs : 0);
	const occasion = { context, settings, memory, isActivation };
	return await pollInTurn(memory, isActivation, async () => {
		if (settings.runs === 'onePerLead') return await pollForRuns(occasion);
		logBesidePushes(occasion);
		return await pollForItems(occasion, (known) => beginPoll(occasion, known));
	});
}

/** A poll that hands each lead to a run of its own. */
async function pollForRuns(occasion: PollOccasion): Promise<null> {
	const { context, settings } = occasion;
	const workflow = context.getWorkflow().id;
	return await pollWithRuns(occasion, {
		words: LEAD_WORDS,
		runAgain: settings.runAgain,
		begin: (known, terms) => new LeadTracker(known, terms),
		askingFor: (tracker) => {
			const asking = new LeadsAsking(occasion, tracker);
			const ask = async () => {
				await asking.ask();
				tracker.notePoll(asking.reached);
			};
			return { limits: asking.limits, ask };
		},
		// A node of the workflow may change what it is given: the next run gets the lead as the service sent it.
		json: (lead) => jsonOf({ ...lead, lead: deepCopy(lead.lead) }, settings),
		keyOf: (lead, attempt) => runKeyOf(workflow, lead, attempt),
	});
}

/** A poll that hands over all of its leads in one run. */
function beginPoll(occasion: PollOccasion, known: Progress): BegunPoll<Progress> {
	const delivered = known.delivered.copy();
	const found: LeadToRun[] = [];
	const asking = new LeadsAsking(occasion, {
		reached: known.targets,
		hasRoom: () => found.length < MOST_LEADS,
		isNew: (target, key, now) => !delivered.recall(target, key, now),
		add: (lead, now) => {
			delivered.note(lead.leadType, lead.key, now);
			found.push(lead);
		},
		noteBefore: ({ key: target }, key, now) => delivered.note(target, key, now),
	});
	return {
		ask: async () => await asking.ask(),
		reached: (polls) => ({ polls, targets: asking.reached, delivered }),
		items: () => sortBy(found, 'time').map((lead) => ({ json: jsonOf(lead, occasion.settings) })),
	};
}

function jsonOf({ lead, leadType }: LeadToRun, { simplify }: Settings): IDataObject {
	return leadJson(lead, leadType, simplify);
}

/** A poll that hands over all of its leads in one run has no key for each of them. */
function logBesidePushes({ context, memory }: PollOccasion): void {
	const isBeside = emittersOfPushes(context).length > 0;
	if (isBeside && memory.mayLog('pushes')) context.logger.warn(besidePushesNotice());
}

export function besidePushesNotice(): string {
	return 'Leads are pushed to this workflow as well, and Runs is One per Poll: a lead that comes both ways has two runs. Set Runs to One per Lead, and it has one.';
}
