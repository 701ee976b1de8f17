import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { propertyIdOf } from '../propertyId';

import type { LeadAddress } from './leadAddress';
import {
	dwellingOf,
	isSameAddress,
	localityOf,
	mayBeAt,
	postcodeOf,
	streetOf,
} from './sameAddress';
import { uprnOf } from './uprn';

/** What a lead says about the property that it is about; empty where it says nothing. */
export interface Wanted {
	/** Digits without leading zeros. */
	uprn: string;
	/** The agency's own reference, if it may be an ID of the inventory. */
	reference: string;
	address: LeadAddress;
}

/** By what a property was found. */
export type MatchedBy = 'uprn' | 'reference' | 'address';

export interface Match {
	/** Null if no property is surely the one. */
	matchedBy: MatchedBy | null;
	/** The records of the property. If several properties fit, none is the one, and all of them are here. */
	records: IDataObject[];
}

/**
 * The property that a lead is about, by the first of UPRN, reference and address that finds one.
 *
 * @param records whole ones of one agency, each once
 */
export function matchProperty(wanted: Wanted, records: IDataObject[]): Match {
	const sameUprn = records.filter((record) => wanted.uprn !== '' && uprnOf(record) === wanted.uprn);
	if (sameUprn.length > 0) return matchByUprn(wanted, sameUprn);
	const possible = records.filter((record) => wanted.uprn === '' || uprnOf(record) === '');
	const referred = possible.filter((record) => isReferred(wanted, record));
	if (referred.length > 0) return { matchedBy: 'reference', records: referred };
	const alike = possible.filter((record) => isSameAddress(wanted.address, record));
	return { matchedBy: isOneDwelling(alike) ? 'address' : null, records: alike };
}

/** The flats of a block may all have the UPRN of the block. */
function matchByUprn({ address }: Wanted, sameUprn: IDataObject[]): Match {
	const alike = sameUprn.filter((record) => isSameAddress(address, record));
	const records = alike.length > 0 ? alike : sameUprn;
	return { matchedBy: isOne(records, [dwellingOf]) ? 'uprn' : null, records };
}

/**
 * Nobody states that an agency's reference is the ID in its inventory. It counts only if the address, as far
 * as both have one, does not contradict it.
 */
function isReferred({ reference, address }: Wanted, record: IDataObject): boolean {
	return reference !== '' && propertyIdOf(record) === reference && mayBeAt(address, record);
}

/** A sale and a letting of one dwelling are two records; two dwellings differ in what both tell. */
function isOneDwelling(records: IDataObject[]): boolean {
	return records.length > 0 && isOne(records, [uprnOf, postcodeOf, streetOf, localityOf]);
}

function isOne(records: IDataObject[], features: Array<(record: IDataObject) => string>): boolean {
	return features.every((feature) => uniq(records.map(feature).filter(Boolean)).length <= 1);
}
