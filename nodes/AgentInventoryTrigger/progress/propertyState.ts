import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { isObject, plainValue, textOf } from '../../../service/basics/values';

/** What can have happened to a property, the most important first: a lower price is of no use once it is let. */
export const EVENTS = ['created', 'statusChanged', 'priceChanged', 'updated'] as const;

export type PropertyEvent = (typeof EVENTS)[number];

/** What counts of a property. */
export interface PropertyState {
	price: string | number | null;
	/** In the service's word; empty if it has none. */
	status: string;
	archived: boolean;
	/** Stands for all the rest that counts. */
	rest: string;
}

/** The values of a property before a change, as far as they changed. */
export type PreviousValues = Partial<Omit<PropertyState, 'rest'>>;

/**
 * What is no change by itself: the times of the record, what tells a value that counts in another way, and what changes
 * as the years pass.
 */
const NOT_IN_REST = new Set([
	...['id', 'createdDate', 'modifiedDate'],
	...['price', 'archived', 'inventoryStatus', 'status', 'isAtActiveStatus'],
	...['negotiatorName', 'leaseRemainingYears'],
]);

const REST_LETTERS = 6;

/** @param record a whole one */
export function stateOf(record: IDataObject): PropertyState {
	const { price, inventoryStatus, status, archived } = record;
	return {
		price: priceOf(price),
		// The status in words is that of the list with blanks between its words.
		status: withoutHalves(textOf(inventoryStatus) || textOf(status).replace(/ /g, '')),
		archived: archived === true,
		rest: markOfRest(record),
	};
}

/** What happened between two states, and the values before it. */
export function changesBetween(
	before: PropertyState,
	after: PropertyState,
): { events: PropertyEvent[]; previous: PreviousValues } {
	const { price, status, archived } = before;
	const isRepriced = price !== after.price;
	const isOfOtherStatus = status !== after.status;
	const isMoved = archived !== after.archived;
	const happened: Record<PropertyEvent, boolean> = {
		created: false,
		statusChanged: isOfOtherStatus || isMoved,
		priceChanged: isRepriced,
		updated: before.rest !== after.rest,
	};
	return {
		events: EVENTS.filter((event) => happened[event]),
		previous: {
			...(isOfOtherStatus && { status }),
			...(isMoved && { archived }),
			...(isRepriced && { price }),
		},
	};
}

function markOfRest(record: IDataObject): string {
	const rest = Object.entries(record).filter(([name]) => !NOT_IN_REST.has(name));
	const text = JSON.stringify(inFixedOrder(Object.fromEntries(rest)));
	return createHash('sha256').update(text).digest('base64url').slice(0, REST_LETTERS);
}

/** The same for what is alike: the order of fields does not count, and no value is as good as none. */
function inFixedOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inFixedOrder);
	if (!isObject(value)) return value;
	const set = Object.entries(value).map(([name, each]) => [name, inFixedOrder(each)] as const);
	return set
		.filter(([, each]) => !isNothing(each))
		.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** @param value in fixed order: an object is a list by now */
function isNothing(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	return Array.isArray(value) && value.length === 0;
}

function priceOf(value: unknown): PropertyState['price'] {
	const price = plainValue(value);
	return typeof price === 'number' ? price : price === null ? null : withoutHalves(String(price));
}

/** Half of a character cannot be stored. */
function withoutHalves(text: string): string {
	return text.replace(/\p{Cs}/gu, '\uFFFD');
}
