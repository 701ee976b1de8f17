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

/** Enough to see what the trigger delivers, few enough to look at. */
const MOST_SAMPLES = 5;

const NO_PROPERTY_AT_ALL: Explanation = {
	message: 'There is no property to show',
	advice:
		'The service has no current property that matches these filters. Check them, or wait for a change. You can publish the workflow already.',
	code: 'nothingToShow',
};

/**
 * Of some current properties those that have changed last, for a manual test in the editor: no progress is read or written. What
 * happened to them is not known, so each comes with the first event that was chosen. So that `previous.price` can be dragged, a
 * change of price comes with the price of today, which is neither lower nor higher.
 *
 * @throws ServiceError; NodeOperationError when there is no property at all
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

/** A property that was never modified has changed as it was created. */
function lastTimeOf({ modifiedAt, createdAt }: IDataObject): number {
	return serviceTime(modifiedAt) ?? serviceTime(createdAt) ?? 0;
}
