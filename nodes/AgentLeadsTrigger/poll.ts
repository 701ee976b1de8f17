import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { leadJson } from '../common/leads/simplifyLead';
import { claimActivation } from '../common/polling/host';
import { memories } from '../common/polling/polledNode';
import type { TaskWords } from '../common/runs/notices';
import { runKeyOf } from '../common/runs/runKey';
import { LeadsAsking } from './askLeads';
import type { LeadToRun } from './leadTracker';
import { LeadsNode, LeadTracker } from './leadTracker';
import type { Settings } from './settings';
import { PROGRESS_FORMAT } from './storedProgress';

const LEAD_WORDS: TaskWords<LeadToRun> = {
	one: 'lead',
	title: ({ leadType, key }) => `the ${leadType} lead ${key}`,
};

/** Finds or creates the memory that this process keeps of one Agent Leads Trigger. */
export const memoryOf = memories(() => new LeadsNode(PROGRESS_FORMAT));

/**
 * Polls once. For each target, such as the applicant leads of one branch, the poll continues where the previous poll
 * left it.
 *
 * @returns the leads, oldest first; null if there are none, or if each lead has a run of its own
 * @throws NodeApiError or ServiceError if the service answered for no target or, in an activation, refused a request;
 * the stored progress then stays as it is
 */
export async function pollLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][] | null> {
	const isActivation = claimActivation(context);
	const occasion = { context, settings, memory: memoryOf(context), isActivation };
	const workflow = context.getWorkflow().id;
	return await occasion.memory.poll(occasion, {
		...settings,
		words: LEAD_WORDS,
		begin: (known, terms) => new LeadTracker(known, terms),
		ask: async (tracker, limits) => await new LeadsAsking(occasion, limits, tracker).ask(),
		json: ({ lead, leadType }) => leadJson(lead, leadType, settings.simplify),
		keyOf: (lead, attempt) => runKeyOf(workflow, lead, attempt),
	});
}
