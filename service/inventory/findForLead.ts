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

/** What a lead says about the property that it is about; empty where it says nothing. */
export interface Query {
	/** Digits without leading zeros. */
	uprn: string;
	/** The agency's own reference, if it may be an ID of the inventory. */
	reference: string;
	address: LeadAddress;
}

export interface Match {
	/** By what the property was found; null if no property is surely the one. */
	matchedBy: 'uprn' | 'reference' | 'address' | null;
	/** The records of the property. If several properties fit, none is the one, and all of them are here. */
	records: IDataObject[];
}

/** How many of the properties that a search finds are read: one page. */
const MOST_HITS = 250;

/**
 * The properties that leads are about, in as few requests as it takes: what several of them need is asked for once,
 * and whole records come together. No request filters by UPRN, and only a whole record has one.
 *
 * @returns what became of each of these leads
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
			// A property that is gone meanwhile is none, and neither is a reference that the service takes for no ID.
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

/** Searches once for leads that ask the same. */
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
		// A service that failed in every try is not asked for more.
		if (rows instanceof ServiceError && rows.isTransient) down = rows;
	});
	return hits;
}

/** Which records to read: only a whole record tells its UPRN; without one in the lead, the address of the row decides. */
function candidateIds({ uprn, reference, address }: Query, rows: IDataObject[]): string[] {
	const likely = rows.filter((row) => {
		if (uprn === '') return isSameAddress(address, row);
		const { postcode } = addressPartsOf(row);
		return ['', postcode].includes(address.postcode) || postcode === '';
	});
	return uniq([...likely.map(listedIdOf).filter(isPropertyId), ...compact([reference])]);
}

/**
 * The property that a lead is about, by the first of UPRN, reference and address that finds one. A property with
 * another UPRN is never the one.
 *
 * @param records whole ones of one agency, each once
 */
export function matchProperty(query: Query, records: IDataObject[]): Match {
	const { uprn, reference, address } = query;
	const isOwn = (record: IDataObject) => isSameAddress(address, record);
	const sameUprn = records.filter((record) => uprn !== '' && uprnOf(record) === uprn);
	if (sameUprn.length > 0) {
		// The flats of a block may all have the UPRN of the block.
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

/** A sale and a letting of one dwelling are two records; two dwellings differ in what both of them tell. */
function isOne(records: IDataObject[], featuresOf: (record: IDataObject) => string[]): boolean {
	return zip(...records.map(featuresOf)).every((values) => uniq(compact(values)).length <= 1);
}

function dwellingOf(record: IDataObject): string[] {
	const { flat, number } = addressPartsOf(record);
	return [[...flat, ...number].join(' ')];
}

/** What may differ among records that fit the address of a lead: it may leave out the street or the postcode. */
function locationOf(record: IDataObject): string[] {
	const { postcode, street, locality } = addressPartsOf(record);
	const district = postcode === '' ? locality.join(' ') : '';
	return [uprnOf(record), postcode, street.join(' '), district];
}

/** A UPRN as it is compared: an integer in leads, a text in the inventory, with or without leading zeros. */
export function uprnText(value: unknown): string {
	const text = textOf(value).trim();
	return /^\d+$/.test(text) ? text.replace(/^0+/, '') : '';
}

function uprnOf({ uprn }: IDataObject): string {
	return uprnText(uprn);
}
