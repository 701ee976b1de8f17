import type {
	IDataObject,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { deepCopy } from 'n8n-workflow';

import { leadJson } from '../common/leads/simplifyLead';
import { keepRunning, pollWithRuns } from '../common/polling/pollWithRuns';
import type { TaskWords } from '../common/runs/notices';
import { runKeyOf } from '../common/runs/runKey';
import type { PollOccasion } from './asking';
import { Asking } from './asking';
import { memoryOfNode } from './leadsMemory';
import type { LeadTracker, LeadToRun } from './leadTracker';
import { trackLeads } from './leadTracker';

/** So many leads wait for their runs before the service is asked for no more. */
const MOST_WAITING = 1_000;

export const LEAD_WORDS: TaskWords<LeadToRun> = {
	one: 'lead',
	many: 'leads',
	title: ({ leadType, key }) => `the ${leadType} lead ${key}`,
};

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function beginRuns(context: ITriggerFunctions): ITriggerResponse {
	return keepRunning(context, memoryOfNode(context));
}

/** A poll that hands each lead to a run of its own. */
export async function pollForRuns(occasion: PollOccasion): Promise<INodeExecutionData[][] | null> {
	const { context, settings } = occasion;
	const workflow = context.getWorkflow().id;
	return await pollWithRuns(occasion, {
		words: LEAD_WORDS,
		runAgain: settings.runAgain,
		begin: trackLeads,
		askingFor: (tracker) => askingFor(occasion, tracker),
		json: (lead) => jsonOf(lead, settings.simplify),
		keyOf: (lead, attempt) => runKeyOf(workflow, lead, attempt),
	});
}

function askingFor(occasion: PollOccasion, tracker: LeadTracker) {
	const known = { targets: tracker.reached, delivered: tracker };
	const add = (lead: LeadToRun) => tracker.add(lead);
	const room = () => MOST_WAITING - tracker.queue.waitingCount;
	const asking = new Asking(occasion, known, { add, room });
	const ask = async () => {
		const session = await asking.begin();
		// Targets that begin have their start, even if this poll fails.
		tracker.reached = new Map([...tracker.reached, ...asking.reached]);
		await asking.ask(session);
		tracker.notePoll(asking.reached);
	};
	return { limits: asking.limits, ask };
}

/** A node of the workflow may change what it is given: the next run gets the lead as the service sent it. */
function jsonOf({ lead, leadType, gap }: LeadToRun, simplify: boolean): IDataObject {
	const json = leadJson(deepCopy(lead), leadType, simplify);
	return { ...json, ...(gap && { gap }) };
}
