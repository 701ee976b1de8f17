import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { mapConcurrently, REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { ServiceError } from '../../service/failure';
import { fetchLeads } from '../../service/leads/fetchLeads';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { Session } from '../../service/session';
import { leadJson } from '../common/leads/simplifyLead';
import type { FreshLead } from './target/progress';
import { startScope, takeIn } from './target/progress';
import type { Settings, Target } from './settings';
import { titleOf } from './settings';

const DAY_MS = 24 * 3_600_000;

/** Enough to see what comes out, few enough to look at. */
const SAMPLE_SIZE = 5;

/** How far back to look, one after the other, in days. */
const REACHES = [1, 7, 30];

interface Found extends FreshLead {
	target: Target;
}

/**
 * The newest few leads, for a manual test in the editor: no progress is read or written.
 *
 * @throws ServiceError; NodeOperationError when there is no lead at all
 */
export async function sampleLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][]> {
	const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
	const session = new Session(context, LEADS_INTEGRATION, credentials, settings.limits);
	const toItem = ({ lead, target }: Found) => ({
		json: leadJson(lead, target.leadType, settings.simplify),
	});
	for (const days of REACHES) {
		const found = await findLeads(session, settings, days);
		if (found.length > 0) return [found.slice(-SAMPLE_SIZE).map(toItem)];
	}
	throw new NodeOperationError(context.getNode(), 'There is no lead to show', {
		level: 'warning',
		description:
			'The service has no lead of the last 30 days for these lead types and this filter. Check both, or wait for a lead. You can publish the workflow already.',
	});
}

/** Oldest first, each once. */
async function findLeads(session: Session, settings: Settings, days: number): Promise<Found[]> {
	const to = Math.floor(Date.now() / 1_000) * 1_000;
	const window = { from: to - days * DAY_MS, to };
	const answers = await mapConcurrently(
		settings.targets,
		REQUESTS_AT_ONCE,
		async (target, signal) => {
			const { leadType, filter } = target;
			const request = { leadType, filter, names: settings.names };
			// Without times the service takes the last 24 hours by its own clock.
			const reach = days === 1 ? request : { ...request, window };
			const { leads } = await named(target, settings, fetchLeads(session, reach, signal));
			const { fresh } = takeIn(startScope('', 0), window, leads, 0);
			return newestOf(fresh).map((lead) => ({ ...lead, target }));
		},
	);
	const byKey = new Map(answers.flat().map((found) => [found.target.leadType + found.key, found]));
	return [...byKey.values()].sort((a, b) => a.time - b.time);
}

/** Says which of several targets failed. */
async function named<T>(target: Target, { targets }: Settings, reading: Promise<T>): Promise<T> {
	const [outcome] = await Promise.allSettled([reading]);
	if (outcome.status === 'fulfilled') return outcome.value;
	const error: unknown = outcome.reason;
	if (!(error instanceof ServiceError) || targets.length === 1) throw error;
	throw error.about(titleOf(target));
}

/** No more than a sample of each answer is held. */
function newestOf(leads: FreshLead[]): FreshLead[] {
	return leads.sort((a, b) => a.time - b.time).slice(-SAMPLE_SIZE);
}
