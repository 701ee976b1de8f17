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
	/** The UPRN as digits without leading zeros. */
	uprn: string;
	/** The agency's own reference of the listing, if it may be an ID of the inventory. */
	reference: string;
	address: LeadAddress;
}

export interface Match {
	/** The part of the lead that found the property; null if no property is certain. */
	matchedBy: 'uprn' | 'reference' | 'address' | null;
	/** The records of the property. If several properties fit, `matchedBy` is null and these are the records of all. */
	records: IDataObject[];
}

/** The most hits of a search that are read: one page. */
const MOST_HITS = 250;

/**
 * Finds the properties that leads are about, with few requests: it sends a request that several leads need once, and
 * reads whole records together. No request of the service filters by UPRN, and only a whole record has one.
 *
 * @returns the match or the failure for each of these leads
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
			// A property that has been deleted meanwhile is left out, and so is a reference that the service does not
			// accept as an ID.
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

/** Sends one search for all leads that need the same one. */
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
		// If the service failed in every try of a search, no other search is sent.
		if (rows instanceof ServiceError && rows.isTransient) down = rows;
	});
	return hits;
}

/**
 * The IDs of the records to read for a lead. If the lead has a UPRN, all rows of its postcode are read, because only
 * a whole record has a UPRN. Otherwise the address of the row decides.
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
 * Returns the property that a lead is about, by the first of UPRN, reference and address that finds one. A property
 * with another UPRN never matches.
 *
 * @param records whole records of one agency, each of them once
 */
export function matchProperty(query: Query, records: IDataObject[]): Match {
	const { uprn, reference, address } = query;
	const isOwn = (record: IDataObject) => isSameAddress(address, record);
	const sameUprn = records.filter((record) => uprn !== '' && uprnOf(record) === uprn);
	if (sameUprn.length > 0) {
		// All flats of a block may have the UPRN of the block, so the address decides among them.
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
 * True if records describe one dwelling: they do not differ in a feature that both have. The sale and the letting of
 * one dwelling are two records.
 */
function isOne(records: IDataObject[], featuresOf: (record: IDataObject) => string[]): boolean {
	return zip(...records.map(featuresOf)).every((values) => uniq(compact(values)).length <= 1);
}

function dwellingOf(record: IDataObject): string[] {
	const { flat, number } = addressPartsOf(record);
	return [[...flat, ...number].join(' ')];
}

/**
 * The features that tell dwellings apart whose records all fit a lead's address, because the address may lack the
 * street or the postcode.
 */
function locationOf(record: IDataObject): string[] {
	const { postcode, street, locality } = addressPartsOf(record);
	const district = postcode === '' ? locality.join(' ') : '';
	return [uprnOf(record), postcode, street.join(' '), district];
}

/**
 * A UPRN in the form that is compared. Leads have it as an integer, the inventory as a text, with or without leading
 * zeros.
 */
export function uprnText(value: unknown): string {
	const text = textOf(value).trim();
	return /^\d+$/.test(text) ? text.replace(/^0+/, '') : '';
}

function uprnOf({ uprn }: IDataObject): string {
	return uprnText(uprn);
}
