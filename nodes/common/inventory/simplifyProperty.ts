import get from 'lodash/get';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds, serviceTime } from '../../../service/basics/times';
import { objectOf, objectsIn, plainValue, textOf } from '../../../service/basics/values';
import { listedIdOf } from '../../../service/inventory/records';
import { joined } from '../joined';
import { inWords } from './statuses';

/**
 * Makes the item for a property, from a full record or from a row of any list.
 *
 * With Simplify, the item is flat and has only what an agency wants to see of a property, in the order in which a
 * person reads it. Rows and full records give the same keys, and a value that the service did not send is null. IDs are
 * texts, and times are UTC with seconds.
 */
export function propertyJson(property: IDataObject, simplify: boolean): IDataObject {
	if (!simplify) return property;
	const owners = objectsIn(property.owners);
	const plain = (path: string, inRows = path) =>
		plainValue(get(property, path) ?? property[inRows]);
	const text = (path: string, inRows = path) => textOf(plain(path, inRows)) || null;
	const time = (name: string, inRows = name) => timeOf(plain(name, inRows));
	const status = text('inventoryStatus', 'status');
	return {
		address: addressLine(property.address) || plain('displayAddress'),
		price: plain('price'),
		rentalFrequency: plain('rentalFrequency'),
		bedrooms: plain('bedrooms'),
		status: status && inWords(status),
		propertyType: plain('propertyType'),
		recordType: plain('recordType'),
		negotiator: plain('negotiator.name', 'negotiatorName'),
		branchId: text('branchId'),
		owner: joined(', ', owners.map(ownerName)) || null,
		ownerPhone: preferred(owners, 'phoneNumbers', 'number'),
		ownerEmail: preferred(owners, 'emailAddresses', 'address'),
		priceQualifier: plain('priceQualifier'),
		bathrooms: plain('bathrooms'),
		tenure: plain('tenure'),
		archived: plain('archived'),
		rentalDateAvailable: time('rentalDateAvailable'),
		instructionDate: time('instructionDate'),
		createdAt: time('createdDate', 'createdAt'),
		modifiedAt: time('modifiedDate', 'modifiedAt'),
		postcode: plain('address.postcode'),
		uprn: text('uprn'),
		ownerId: owners.map(({ ownerId }) => textOf(ownerId)).find(Boolean) ?? null,
		negotiatorId: text('negotiator.id'),
		id: listedIdOf(property) || null,
	};
}

/**
 * Writes the address of a property in one line, without a comma between number and street. The result is empty if the
 * address has no parts.
 */
export function addressLine(address: unknown): string {
	const { subDwelling, nameNo, street, locality, town, postcode } = objectOf(address);
	return joined(', ', [subDwelling, joined(' ', [nameNo, street]), locality, town, postcode]);
}

function ownerName(owner: IDataObject): string {
	const { title, forename, surname } = objectOf(owner.name);
	return joined(' ', [title, forename, surname]);
}

/** Returns the email address or telephone number that the agency prefers for the first owner who has one. */
function preferred(owners: IDataObject[], list: string, name: string): string | null {
	const entries = owners.flatMap((owner) => sortBy(objectsIn(owner[list]), 'preferenceOrder'));
	return entries.map((entry) => textOf(entry[name])).find(Boolean) ?? null;
}

function timeOf(value: unknown): IDataObject[string] {
	const time = serviceTime(value);
	return time === undefined ? plainValue(value) : isoSeconds(time);
}

/** The fields of a simplified property, in their order. */
export const PROPERTY_FIELDS = Object.keys(propertyJson({}, true));
