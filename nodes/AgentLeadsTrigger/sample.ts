import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { DAY_MS, SECOND_MS } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { fetchLeads, leadKey, submittedAt } from '../../service/leads/leads';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { Session } from '../../service/session';
import { leadJson } from '../common/leads/simplifyLead';
import { SAMPLE_SIZE } from '../common/polling/pollOrShow';
import type { Settings } from './settings';
import { titleOf } from './target';

/**
 * The periods in which a test in the editor looks for leads, in days before now. A longer period is tried only if the
 * shorter ones contain no lead.
 */
const REACHES = [1, 7, 30];

/** Finds a few of the newest leads, for a test in the editor. */
export async function sampleLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<IDataObject[]> {
	const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
	const session = new Session(context, LEADS_INTEGRATION, credentials, settings.limits);
	for (const days of REACHES) {
		const newest = (await findLeads(session, settings, days)).slice(-SAMPLE_SIZE);
		const items = newest.map(({ lead, leadType }) => leadJson(lead, leadType, settings.simplify));
		if (items.length > 0) return items;
	}
	return [];
}

/** Finds all leads of the given number of days before now, each of them once, oldest first. */
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
		return answer.map((lead) => ({ lead, leadType }));
	});
	const found = uniqBy(answers.flat(), ({ leadType, lead }) => `${leadType} ${leadKey(lead)}`);
	return sortBy(found, ({ lead }) => submittedAt(lead) ?? to);
}
