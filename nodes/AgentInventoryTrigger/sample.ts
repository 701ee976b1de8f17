import orderBy from 'lodash/orderBy';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { serviceTime } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { Agency } from '../../service/inventory/agency';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { fetchWholeRecords, listProperties } from '../../service/inventory/properties';
import { Session } from '../../service/session';
import { SAMPLE_SIZE } from '../common/polling/pollOrShow';
import { agencyRefsOf, agencyTitle } from './ask';
import { stateOf } from './compare';
import { changeJson } from './item';
import type { Settings } from './settings';

/**
 * Of some current properties those that have changed last, for a manual test in the editor. What
 * happened to them is not known, so each comes with the first event that was chosen. So that `previous.price` can be dragged, a
 * change of price comes with the price of today, which is neither lower nor higher.
 *
 * @throws ServiceError
 */
export async function sampleChanges(
	context: IPollFunctions,
	settings: Settings,
): Promise<IDataObject[]> {
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
	const newest = orderBy(samples, ({ row }) => lastTimeOf(row), 'desc').slice(0, SAMPLE_SIZE);
	const items: IDataObject[] = [];
	for (const { agency, agencyRef, row } of newest.reverse()) {
		for (const record of await fetchWholeRecords(agency, [row])) {
			const previous = events[0] === 'priceChanged' ? { price: stateOf(record).price } : {};
			const change = { events: events.slice(0, 1), previous, record };
			items.push(changeJson(change, agencyRef, simplify));
		}
	}
	return items;
}

/** A property that was never modified has changed as it was created. */
function lastTimeOf({ modifiedAt, createdAt }: IDataObject): number {
	return serviceTime(modifiedAt) ?? serviceTime(createdAt) ?? 0;
}
