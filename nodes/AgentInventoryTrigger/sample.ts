import orderBy from 'lodash/orderBy';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { serviceTime } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { Agency } from '../../service/inventory/agency';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { fetchWholeRecords, listProperties } from '../../service/inventory/properties';
import { Session } from '../../service/session';
import type { Explanation } from '../common/nodeErrors';
import { toOperationError } from '../common/nodeErrors';
import { agencyRefsOf, agencyTitle } from './ask';
import { stateOf } from './compare';
import { changeJson } from './item';
import type { Settings } from './settings';

/** The most properties in a test: enough to see what the trigger delivers, and few enough to read. */
const MOST_SAMPLES = 5;

const NO_PROPERTY_AT_ALL: Explanation = {
	message: 'There is no property to show',
	advice:
		'The service has no current property that matches these filters. Check them, or wait for a change. You can publish the workflow already.',
	code: 'nothingToShow',
};

/**
 * Fetches the current properties that changed last, for a manual test in the editor. It neither reads nor writes
 * progress. The trigger does not know what happened to them, so each has the first event that the person chose. A
 * change of price has today's price as `previous.price`, so that a person can drag that field.
 *
 * @throws ServiceError; NodeOperationError if there is no property
 */
export async function sampleChanges(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][]> {
	const credentials = await context.getCredentials(INVENTORY_INTEGRATION.credentialType);
	const session = new Session(context, INVENTORY_INTEGRATION, credentials, settings.limits);
	const { query, statuses, events, simplify } = settings;
	const asked = { ...query, archived: 'false', ...(statuses && { 'inventory-status': statuses }) };
	const samples: Array<{ agency: Agency; agencyRef: string; row: IDataObject }> = [];
	for (const agencyRef of agencyRefsOf(settings, credentials)) {
		const agency = new Agency(session, agencyRef);
		const rows = await orFailure(listProperties(agency, 'filter', asked, 250));
		if (rows instanceof ServiceError) throw rows.about(agencyTitle(agencyRef));
		for (const row of rows) samples.push({ agency, agencyRef, row });
	}
	const newest = orderBy(samples, ({ row }) => lastTimeOf(row), 'desc').slice(0, MOST_SAMPLES);
	const items: INodeExecutionData[] = [];
	for (const { agency, agencyRef, row } of newest.reverse()) {
		for (const record of await fetchWholeRecords(agency, [row])) {
			const previous = events[0] === 'priceChanged' ? { price: stateOf(record).price } : {};
			const change = { events: events.slice(0, 1), previous, record };
			items.push({ json: changeJson(change, agencyRef, simplify) });
		}
	}
	if (items.length > 0) return [items];
	throw toOperationError(context.getNode(), NO_PROPERTY_AT_ALL, { level: 'warning' });
}

/** The last change of a row. For a property that was never modified, its creation counts. */
function lastTimeOf({ modifiedAt, createdAt }: IDataObject): number {
	return serviceTime(modifiedAt) ?? serviceTime(createdAt) ?? 0;
}
