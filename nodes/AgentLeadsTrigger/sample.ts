import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { DAY_MS, SECOND_MS } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { fetchLeads, shortKeyOf, submittedAt } from '../../service/leads/leads';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { Session } from '../../service/session';
import { leadJson } from '../common/leads/simplifyLead';
import type { Explanation } from '../common/nodeErrors';
import { toOperationError } from '../common/nodeErrors';
import type { Settings } from './settings';
import { titleOf } from './target';

/** The most leads in a test: enough to see what the trigger delivers, and few enough to read. */
const SAMPLE_SIZE = 5;

/** The periods to search for leads, one after the other, in days. */
const REACHES = [1, 7, 30];

const NO_LEAD: Explanation = {
	message: 'There is no lead to show',
	advice:
		'The service has no lead from the last 30 days for these lead types and this filter. Check both, or wait for a lead. You can publish the workflow already.',
	code: 'nothingToShow',
};

/**
 * Fetches the newest few leads for a manual test in the editor. It neither reads nor writes progress.
 *
 * @throws ServiceError; NodeOperationError if there is no lead
 */
export async function sampleLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][]> {
	const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
	const session = new Session(context, LEADS_INTEGRATION, credentials, settings.limits);
	for (const days of REACHES) {
		const newest = (await findLeads(session, settings, days)).slice(-SAMPLE_SIZE);
		const items = newest.map(({ lead, leadType }) => ({
			json: leadJson(lead, leadType, settings.simplify),
		}));
		if (items.length > 0) return [items];
	}
	throw toOperationError(context.getNode(), NO_LEAD, { level: 'warning' });
}

/** Finds the leads of some days, each once, oldest first. */
async function findLeads(session: Session, { targets, names }: Settings, days: number) {
	const to = Math.floor(Date.now() / SECOND_MS) * SECOND_MS;
	// If a request has no times, the service answers with the last 24 hours by its own clock.
	const window = days === 1 ? undefined : { from: to - days * DAY_MS, to };
	const answers = await mapConcurrently(targets, MOST_REQUESTS_AT_ONCE, async (target, signal) => {
		const { leadType, filter } = target;
		const request = { leadType, filter, names, window };
		const answer = await orFailure(fetchLeads(session, request, signal));
		if (answer instanceof ServiceError) {
			throw targets.length === 1 ? answer : answer.about(titleOf(target));
		}
		return answer.leads.map((lead) => ({ lead, leadType }));
	});
	const found = uniqBy(answers.flat(), ({ leadType, lead }) => `${leadType} ${shortKeyOf(lead)}`);
	return sortBy(found, ({ lead }) => submittedAt(lead) ?? to);
}
