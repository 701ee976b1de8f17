import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds, serviceTime } from '../../../service/basics/times';
import { isObject, plainValue, textOf } from '../../../service/basics/values';
import { listedIdOf } from '../../../service/inventory/records';
import { statusLabel } from './statuses';

type Value = IDataObject[string];

/** A property as the node returns it, from a whole record or from a row of any list. */
export function propertyJson(property: IDataObject, simplify: boolean): IDataObject {
	return simplify ? simplifyProperty(property) : property;
}

/**
 * What an agency wants to see of a property, in the order in which a person reads it. It is flat and
 * has the same keys for rows and whole records, under the same names; what was not sent is null.
 * IDs are texts. Times are UTC with seconds.
 */
function simplifyProperty(property: IDataObject): IDataObject {
	const address = objectIn(property.address);
	const owners = objectsIn(property.owners);
	const negotiator = objectIn(property.negotiator);
	const status = textOf(property.inventoryStatus ?? property.status) || null;
	return {
		address: addressLine(address) || plainValue(property.displayAddress),
		price: plainValue(property.price),
		bedrooms: plainValue(property.bedrooms),
		statusLabel: status && statusLabel(status),
		owner: owners.map(ownerName).filter(Boolean).join(', ') || null,
		negotiator: plainValue(negotiator.name ?? property.negotiatorName),
		...offerOf(property),
		ownerPhone: preferred(owners, 'phoneNumbers', 'number'),
		ownerEmail: preferred(owners, 'emailAddresses', 'address'),
		status,
		archived: plainValue(property.archived),
		...timesOf(property),
		postcode: plainValue(address.postcode),
		uprn: idText(property.uprn),
		branchId: idText(property.branchId),
		ownerId: owners.map(({ ownerId }) => idText(ownerId)).find(Boolean) ?? null,
		negotiatorId: idText(negotiator.id),
		id: listedIdOf(property) || null,
	};
}

/** As an address is written: no comma between number and street. */
const LINES = [['subDwelling'], ['nameNo', 'street'], ['locality'], ['town'], ['postcode']];

/** An address of the inventory in one line; empty if it says nothing. */
export function addressLine(address: IDataObject): string {
	const lines = LINES.map((parts) =>
		parts
			.map((part) => textOf(address[part]).trim())
			.filter(Boolean)
			.join(' '),
	);
	return lines.filter(Boolean).join(', ');
}

function offerOf(property: IDataObject): IDataObject {
	return {
		recordType: plainValue(property.recordType),
		category: plainValue(property.category ?? property.categoryType),
		propertyType: plainValue(property.propertyType),
		currency: plainValue(property.currency),
		priceQualifier: plainValue(property.priceQualifier),
		rentalFrequency: plainValue(property.rentalFrequency),
		bathrooms: plainValue(property.bathrooms),
		receptions: plainValue(property.receptions),
		tenure: plainValue(property.tenure),
	};
}

function timesOf(property: IDataObject): IDataObject {
	return {
		rentalDateAvailable: timeOf(property.rentalDateAvailable),
		instructionDate: timeOf(property.instructionDate),
		createdAt: timeOf(property.createdDate ?? property.createdAt),
		modifiedAt: timeOf(property.modifiedDate ?? property.modifiedAt),
	};
}

function ownerName(owner: IDataObject): string {
	const { title, forename, surname } = objectIn(owner.name);
	return [title, forename, surname].map(textOf).filter(Boolean).join(' ');
}

/** The way to reach an owner that the agency has put first. */
function preferred(owners: IDataObject[], list: string, name: string): string | null {
	const entries = owners.flatMap((owner) => sortBy(objectsIn(owner[list]), 'preferenceOrder'));
	return entries.map((entry) => textOf(entry[name])).find(Boolean) ?? null;
}

function objectIn(value: Value): IDataObject {
	return isObject(value) ? value : {};
}

function objectsIn(value: Value): IDataObject[] {
	const entries: unknown[] = Array.isArray(value) ? value : [];
	return entries.filter(isObject);
}

function idText(value: Value): string | null {
	return textOf(value) || null;
}

function timeOf(value: Value): Value {
	const time = serviceTime(value);
	return time === undefined ? plainValue(value) : isoSeconds(time);
}

/** The fields of a simplified property, in their order. */
export const PROPERTY_FIELDS = Object.keys(simplifyProperty({}));
