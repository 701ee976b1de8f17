import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { Agency } from '../../service/inventory/agency';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { fetchWholeRecords, listProperties } from '../../service/inventory/properties';
import { Session } from '../../service/session';
import { SAMPLE_SIZE } from '../common/polling/pollOrShow';
import { agencyRefsOf } from './ask';
import { stateOf } from './compare';
import { changeJson } from './item';
import type { Settings } from './settings';

/**
 * Finds some current properties of the first agency, for a test in the editor. Their past changes are not known, so
 * each property gets the first event that the person has chosen. If that event is a new price, `previous.price` is
 * today's price, so that the person can drag the field in the editor, and no rise or fall is shown.
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
	const [agencyRef = ''] = agencyRefsOf(settings, credentials);
	const agency = new Agency(session, agencyRef);
	const rows = await listProperties(agency, 'filter', asked, SAMPLE_SIZE);
	const records = await fetchWholeRecords(agency, rows);
	return records.map((record) => {
		const previous = events[0] === 'priceChanged' ? { price: stateOf(record).price } : {};
		return changeJson({ events: events.slice(0, 1), previous, record }, agencyRef, simplify);
	});
}
