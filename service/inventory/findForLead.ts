import compact from 'lodash/compact';
import uniq from 'lodash/uniq';
import zip from 'lodash/zip';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { textOf } from '../basics/values';
import { orFailure, ServiceError } from '../failure';
import type { LeadAddress } from './addressMatch';
import { addressPartsOf, isSameAddress, mayBeAt } from './addressMatch';
import type { Agency } from './agency';
import { fetchProperties } from './properties';
import { isPropertyId, listedIdOf, propertyIdOf } from './records';

/** The parts of a lead that identify its property. A part is empty if the lead lacks it. */
export interface Query {
	/** The UPRN (the UK's number for an address) as digits without leading zeros. */
	uprn: string;
	/** The agency's own reference of the listing, if it could be the ID of a property in the inventory. */
	reference: string;
	address: LeadAddress;
}

export interface Match {
	/** The part of the lead by which the property was found; null if no property is certain. */
	matchedBy: 'uprn' | 'reference' | 'address' | null;
	/**
	 * The records of the property. If several properties fit, `matchedBy` is null and this list has the records of all
	 * of them.
	 */
	records: IDataObject[];
}

/** The largest number of search results that are read, which is one page. */
const MOST_HITS = 250;

/**
 * Finds the properties that leads are about, with few requests: a search that several leads need is sent once, and full
 * records are read in batches. The service cannot filter by UPRN (the UK's number for an address), and only a full
 * record contains one.
 *
 * @returns a function that gives the match or the failure for each of these leads
 */
export async function findForLeads(
	agency: Agency,
	queries: Query[],
): Promise<(query: Query) => Match | ServiceError> {
	const hits = await searchAll(agency, queries);
	const rowsFor = ({ address }: Query) => hits.get(address.query) ?? [];
	const idsFor = (query: Query) => {
		const rows = rowsFor(query);
		return rows instanceof ServiceError ? [] : candidateIds(query, rows);
	};
	const records = await fetchProperties(agency, uniq(queries.flatMap(idsFor)));
	return (query) => {
		const rows = rowsFor(query);
		if (rows instanceof ServiceError) return rows;
		const found: IDataObject[] = [];
		for (const id of idsFor(query)) {
			const record = records.get(id);
			// Two failures are not reported: the property was deleted after the search, or the service does not accept
			// the lead's reference as a property ID.
			const isListed = rows.some((row) => listedIdOf(row) === id);
			if (record instanceof ServiceError) {
				if (record.kind === 'missing' || (record.kind === 'rejected' && !isListed)) continue;
				return record;
			}
			if (record) found.push(record);
		}
		return matchProperty(query, found);
	};
}

/** Sends each search once, even if several leads need it. */
async function searchAll(
	agency: Agency,
	queries: Query[],
): Promise<Map<string, IDataObject[] | ServiceError>> {
	const hits = new Map<string, IDataObject[] | ServiceError>();
	let down: ServiceError | undefined;
	const searches = compact(uniq(queries.map(({ address }) => address.query)));
	await mapConcurrently(searches, MOST_REQUESTS_AT_ONCE, async (query) => {
		const rows = down ?? (await orFailure(agency.list('text', { query }, MOST_HITS)));
		hits.set(query, rows);
		// If a search failed in all tries because the service is busy or cannot be reached, the other searches are not
		// sent.
		if (rows instanceof ServiceError && rows.isTransient) down = rows;
	});
	return hits;
}

/**
 * Chooses the records to read for a lead, and returns their IDs. If the lead has a UPRN (the UK's number for an
 * address), these are all rows that may have its postcode, because only a full record contains a UPRN. Otherwise they
 * are the rows with the lead's address. The lead's reference is added as an ID in both cases.
 */
function candidateIds({ uprn, reference, address }: Query, rows: IDataObject[]): string[] {
	const likely = rows.filter((row) => {
		if (uprn === '') return isSameAddress(address, row);
		const { postcode } = addressPartsOf(row);
		return ['', postcode].includes(address.postcode) || postcode === '';
	});
	return uniq([...likely.map(listedIdOf).filter(isPropertyId), ...compact([reference])]);
}

/**
 * Finds the property that a lead is about. The UPRN (the UK's number for an address) is tried first, then the
 * reference, then the address. A property with a UPRN other than the lead's never matches.
 *
 * @param records full records of one agency, each of them once
 */
export function matchProperty(query: Query, records: IDataObject[]): Match {
	const { uprn, reference, address } = query;
	const isOwn = (record: IDataObject) => isSameAddress(address, record);
	const sameUprn = records.filter((record) => uprn !== '' && uprnOf(record) === uprn);
	if (sameUprn.length > 0) {
		// All flats of a block may have the UPRN of the block, so the lead's address decides which of these flats is
		// meant.
		const alike = sameUprn.filter(isOwn);
		const block = alike.length > 0 ? alike : sameUprn;
		return { matchedBy: isOne(block, dwellingOf) ? 'uprn' : null, records: block };
	}
	const possible = records.filter((record) => uprn === '' || uprnOf(record) === '');
	const referred = possible.filter(
		(record) => reference !== '' && propertyIdOf(record) === reference && mayBeAt(address, record),
	);
	if (referred.length > 0) return { matchedBy: 'reference', records: referred };
	const alike = possible.filter(isOwn);
	const isFound = alike.length > 0 && isOne(alike, locationOf);
	return { matchedBy: isFound ? 'address' : null, records: alike };
}

/**
 * True if all records describe the same dwelling: no feature that `featuresOf` returns, such as the street, has
 * different values in two records. A dwelling that is for sale and to let has two records.
 */
function isOne(records: IDataObject[], featuresOf: (record: IDataObject) => string[]): boolean {
	return zip(...records.map(featuresOf)).every((values) => uniq(compact(values)).length <= 1);
}

function dwellingOf(record: IDataObject): string[] {
	const { flat, number } = addressPartsOf(record);
	return [[...flat, ...number].join(' ')];
}

/**
 * Returns what distinguishes dwellings that all fit a lead's address: the UPRN (the UK's number for an address), the
 * postcode and the street, and without a postcode also the locality. There may be several such dwellings, because the
 * lead's address may lack the street or the postcode.
 */
function locationOf(record: IDataObject): string[] {
	const { postcode, street, locality } = addressPartsOf(record);
	const district = postcode === '' ? locality.join(' ') : '';
	return [uprnOf(record), postcode, street.join(' '), district];
}

/**
 * Writes a UPRN (the UK's number for an address) in the form used for comparison. Leads contain it as an integer, the
 * inventory as text, with or without leading zeros.
 */
export function uprnText(value: unknown): string {
	const text = textOf(value).trim();
	return /^\d+$/.test(text) ? text.replace(/^0+/, '') : '';
}

function uprnOf({ uprn }: IDataObject): string {
	return uprnText(uprn);
}
