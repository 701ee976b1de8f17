import orderBy from 'lodash/orderBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { mapConcurrently } from '../../service/basics/concurrency';
import { DAY_MS, isoSeconds, serviceTime } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { Agency } from '../../service/inventory/agency';
import { fetchWholeRecords } from '../../service/inventory/properties';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import { listedIdOf } from '../../service/inventory/records';
import { Session } from '../../service/session';
import type { Told } from '../common/nodeErrors';
import { toOperationError } from '../common/nodeErrors';
import { agencyRefsOf, agencyTitle, listQuery } from './ask';
import { changeJson } from './item';
import { stateOf } from './compare';
import { LISTS } from './progress';
import type { Settings } from './settings';

/** Enough to see what the trigger delivers, few enough to look at. */
const MOST_SAMPLES = 5;

/** How far back to look, one after the other, in days. */
const SAMPLE_DAYS = [1, 7, 30, 365];

const NO_PROPERTY_AT_ALL: Told = {
	message: 'There is no property to show',
	advice:
		'The service has no property that matches these filters and has changed in the last year. Check them, or wait for a change. You can publish the workflow already.',
	code: 'nothingToShow',
};

interface Sample {
	agency: Agency;
	agencyRef: string;
	row: IDataObject;
}

/**
 * The properties that have changed last, for a manual test in the editor: no progress is read or written. What happened to them is
 * not known, so each comes with the first event that was chosen and without previous values.
 *
 * @throws ServiceError; NodeOperationError when there is no property at all
 */
export async function sampleChanges(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][]> {
	const credentials = await context.getCredentials(INVENTORY_INTEGRATION.credentialType);
	const session = new Session(context, INVENTORY_INTEGRATION, credentials, settings.limits);
	const agencyRefs = agencyRefsOf(settings, credentials);
	for (const days of SAMPLE_DAYS) {
		const from = isoSeconds(Date.now() - days * DAY_MS);
		const rows = await Promise.all(
			agencyRefs.map(async (each) => await rowsOf(session, each, settings, from)),
		);
		const newest = orderBy(rows.flat(), ({ row }) => lastTimeOf(row), 'desc');
		const samples = newest.slice(0, MOST_SAMPLES).reverse();
		const items = await Promise.all(samples.map(async (each) => await itemsOf(each, settings)));
		if (items.flat().length > 0) return [items.flat()];
	}
	throw toOperationError(context.getNode(), NO_PROPERTY_AT_ALL, { level: 'warning' });
}

async function rowsOf(
	session: Session,
	agencyRef: string,
	{ query, statuses, agencyRefs }: Settings,
	from: string,
): Promise<Sample[]> {
	const agency = new Agency(session, agencyRef);
	const pages = await mapConcurrently(LISTS, LISTS.length, async (list) => {
		const asked = { ...query, ...listQuery({ list, from }) };
		const page = await orFailure(agency.pageOf('filter', asked));
		if (!(page instanceof ServiceError)) return page.rows;
		throw agencyRefs.length > 1 ? page.about(agencyTitle(agencyRef)) : page;
	});
	return uniqBy(pages.flat(), listedIdOf)
		.filter((row) => statuses?.includes(stateOf(row).status) !== false)
		.map((row) => ({ agency, agencyRef, row }));
}

/** A property that was never modified has changed as it was created. */
function lastTimeOf({ modifiedAt, createdAt }: IDataObject): number {
	return serviceTime(modifiedAt) ?? serviceTime(createdAt) ?? 0;
}

async function itemsOf(
	{ agency, agencyRef, row }: Sample,
	{ events, simplify }: Settings,
): Promise<INodeExecutionData[]> {
	const records = await fetchWholeRecords(agency, [row]);
	return records.map((record) => ({
		json: changeJson({ events: events.slice(0, 1), previous: {}, record }, agencyRef, simplify),
	}));
}
