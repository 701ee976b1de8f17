import orderBy from 'lodash/orderBy';
import partition from 'lodash/partition';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import { fetchLeads, leadKey, mayLieIn, submittedAt } from '../../../../service/leads/leads';
import { windowsOf } from '../../../../service/leads/windows';
import { Session } from '../../../../service/session';
import type { ItemOperation } from '../../../common/itemErrors';
import { hintOnce } from '../../../common/hints';
import { readChoice, readResultLimit, readRetryLimits } from '../../../common/readers';
import { readFilters, readQueryNames } from '../../../common/leads/readers';
import { LEAD_FIELDS, leadJson } from '../../../common/leads/simplifyLead';
import { readOutput } from '../../../common/tool/output';
import { LEAD_TYPE_OF } from '../../fields';
import { readPeriod } from './readPeriod';

/**
 * Fetches the leads that one input item asks for, newest first, each once. Leads without a time come last. Leads with
 * the same time are in the order of the filter IDs, and for each filter ID in the service's order.
 *
 * @throws FieldError before any request, ServiceError if the service does not answer or refuses a request
 */
export const getManyLeads: ItemOperation = async (context, itemIndex, failed) => {
	const request = readRequest(context, itemIndex);
	const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType, itemIndex);
	const session = new Session(context, LEADS_INTEGRATION, credentials, request.limits);
	const found = await collect(context, session, request, failed);
	const wanted = orderBy(found, 'time', 'desc').slice(0, request.limit);
	return wanted.map(({ json }) => ({ json, pairedItem: { item: itemIndex } }));
};

type GetManyRequest = ReturnType<typeof readRequest>;

/** Reads and checks the parameters of an input item. */
function readRequest(context: IExecuteFunctions, itemIndex: number) {
	const parameter = (name: string): unknown => context.getNodeParameter(name, itemIndex, '');
	const options = context.getNodeParameter('options', itemIndex, {});
	const leadType = readChoice('Resource', parameter('resource'), LEAD_TYPE_OF);
	return {
		leadType,
		/** The period to ask for; unset for the last 24 hours by the service's clock. */
		window: readPeriod(context, parameter),
		filters: readFilters(parameter('filterBy'), parameter('filterId')),
		names: readQueryNames(options),
		limits: readRetryLimits(options),
		limit: readResultLimit(context, itemIndex),
		output: readOutput(context, itemIndex, LEAD_FIELDS, (lead, simplify) =>
			leadJson(lead, leadType, simplify),
		),
	};
}

/**
 * A lead that the service sent, in the form in which the node returns it. Each lead gets this form as soon as it
 * arrives, because the raw leads of a month would take too much memory.
 */
interface FoundLead {
	key: string;
	/** When the lead was submitted, in epoch milliseconds; `-Infinity` if that is not known. */
	time: number;
	json: IDataObject;
}

/**
 * Collects the leads of a period. With a limit, it asks for one window (a part of the period) after the other, the
 * newest first, until it has enough leads. Without a limit, it asks for all windows at the same time.
 */
async function collect(
	context: IExecuteFunctions,
	session: Session,
	request: GetManyRequest,
	failed: AbortSignal,
): Promise<FoundLead[]> {
	const { window, filters, limit, leadType, names, output } = request;
	const windows = window ? windowsOf(window) : [undefined];
	const rounds = limit === Infinity ? [windows] : windows.map((each) => [each]);
	let found: FoundLead[] = [];
	for (const round of rounds) {
		const parts = round.flatMap((each) => filters.map((filter) => ({ window: each, filter })));
		const answers = await mapConcurrently(parts, MOST_REQUESTS_AT_ONCE, async (part, needless) => {
			const signal = AbortSignal.any([failed, needless]);
			const leads = await fetchLeads(session, { leadType, names, ...part }, signal);
			const [inside, outside] = partition(leads, (lead) => !window || mayLieIn(window, lead));
			// The note that the service sent leads from outside the period is also written to n8n's log, because nobody
			// reads it above the output of a workflow that runs by itself.
			const isNew = outside.length > 0 && hintOnce(context, OUTSIDE);
			if (isNew) context.logger.warn(`Agent Leads: ${OUTSIDE}`);
			return inside.map((lead) => ({
				key: leadKey(lead),
				time: submittedAt(lead) ?? -Infinity,
				json: output(lead),
			}));
		});
		found = uniqBy([...found, ...answers.flat()], 'key');
		if (found.length >= limit) break;
	}
	return found;
}

/**
 * The note that the node shows if the service ignores the times in a request, for example because it has other names
 * for these parameters.
 */
const OUTSIDE =
	'The service sent leads that are dated outside the period; they were left out. If they are most of its leads, ask the operator of the service what the time parameters are called, and set “From Time Parameter Name” and “To Time Parameter Name” in the options.';
