import { createHash } from 'node:crypto';

import intersection from 'lodash/intersection';
import max from 'lodash/max';
import type { IDataObject } from 'n8n-workflow';

import type { ServiceClock } from '../../service/basics/clock';
import { latestServiceTime, MINUTE_MS, serviceTime } from '../../service/basics/times';
import { isObject, plainValue, textOf } from '../../service/basics/values';
import { propertyIdOf } from '../../service/inventory/records';
import type { KnownProperty } from './known';
import type { AgencyProgress, StartFrom } from './progress';

/** The events of a property, the most important first: nobody needs a lower price once the property is let. */
export const EVENTS = ['created', 'statusChanged', 'priceChanged', 'updated'] as const;

export type PropertyEvent = (typeof EVENTS)[number];

/** The state of a property that is compared. */
export interface PropertyState {
	price: string | number | null;
	/** The status in the service's word; empty if the property has none. */
	status: string;
	archived: boolean;
	/** A hash of all other fields that are compared. */
	rest: string;
}

/** The values of a property before a change, as far as they changed. */
export type PreviousValues = Partial<Omit<PropertyState, 'rest'>>;

/**
 * The fields that the hash of the rest leaves out: those that are compared by themselves, the times of the record,
 * fields that repeat the value of another field, and values that change as the years pass.
 */
const NOT_IN_REST = new Set([
	...['id', 'createdDate', 'modifiedDate'],
	...['price', 'archived', 'inventoryStatus', 'status', 'isAtActiveStatus'],
	...['negotiatorName', 'leaseRemainingYears'],
]);

/** @param record a whole record */
export function stateOf(record: IDataObject): PropertyState {
	const { price, inventoryStatus, status, archived } = record;
	return {
		price: priceOf(price),
		// The field with the status in words has blanks, unlike the one of the lists.
		status: withoutHalves(textOf(inventoryStatus) || textOf(status).replace(/ /g, '')),
		archived: archived === true,
		rest: markOfRest(record),
	};
}

/** The events between two states, and the values before. */
export function changesBetween(
	before: PropertyState,
	after: PropertyState,
): { events: PropertyEvent[]; previous: PreviousValues } {
	const { price, status, archived } = before;
	const previous: PreviousValues = {
		...(status !== after.status && { status }),
		...(archived !== after.archived && { archived }),
		...(price !== after.price && { price }),
	};
	const events: PropertyEvent[] = [];
	if ('status' in previous || 'archived' in previous) events.push('statusChanged');
	if ('price' in previous) events.push('priceChanged');
	if (before.rest !== after.rest) events.push('updated');
	return { events, previous };
}

function markOfRest(record: IDataObject): string {
	const rest = Object.entries(record).filter(([name]) => !NOT_IN_REST.has(name));
	const text = JSON.stringify(inFixedOrder(Object.fromEntries(rest)));
	return createHash('sha256').update(text).digest('base64url').slice(0, 6);
}

/**
 * Orders a value, so that equal records become equal texts: the order of fields does not matter, and an empty value
 * equals a missing one.
 */
function inFixedOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inFixedOrder);
	if (!isObject(value)) return value;
	const set = Object.entries(value).map(([name, each]) => [name, inFixedOrder(each)] as const);
	return set
		.filter(([, each]) => !isNothing(each))
		.sort(([one], [other]) => (one < other ? -1 : 1));
}

/** @param value a value in fixed order, in which objects have become lists */
function isNothing(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	return Array.isArray(value) && value.length === 0;
}

function priceOf(value: unknown): PropertyState['price'] {
	const price = plainValue(value);
	return typeof price === 'number' ? price : price === null ? null : withoutHalves(String(price));
}

/** Removes halves of surrogate pairs, which databases cannot store. */
function withoutHalves(text: string): string {
	return text.replace(/\p{Cs}/gu, '\uFFFD');
}

/** A change of a property. */
export interface PropertyChange {
	id: string;
	/** The events that the person has chosen, the most important first. */
	events: PropertyEvent[];
	previous: PreviousValues;
	/** The property before the change; unset for a new property. */
	from?: KnownProperty;
	after: KnownProperty;
	record: IDataObject;
	/** When the property was last modified, if the service says so (epoch ms). */
	time: number;
}

/** The settings that decide which changes are delivered. */
export interface ComparisonTerms {
	clock: ServiceClock;
	startFrom: StartFrom;
	/** Those that the person has chosen. */
	events: PropertyEvent[];
	/** To which of them a property must have come; unset: any. */
	statuses?: string[];
}

/**
 * Compares a record with what is known of its property. It notes the new state, unless that is a change: the caller
 * that delivers a change notes it. The service may for a while show an earlier state of a property, so a record that
 * is older than what is known is ignored.
 *
 * @param listed when the property was modified, by its row
 * @returns whether the record brought something new, and the change to deliver
 */
export function compare(
	progress: AgencyProgress,
	terms: ComparisonTerms,
	id: string,
	listed: number | undefined,
	record: IDataObject,
): { isNew: boolean; change?: PropertyChange } {
	const { known, started } = progress;
	const before = known.get(id);
	const begun = started.get(id);
	const newest = max([before?.modified, begun?.modified]) ?? -Infinity;
	const isOfAnother = propertyIdOf(record).toLowerCase() !== id.toLowerCase();
	if (isOfAnother || latestTimeOf(record) < newest) return { isNew: false };
	const state = stateOf(record);
	const modified = modifiedOf(record, listed, terms.clock);
	// If the property is again as it was before, the run that was started has reported another state.
	for (const from of begun ? [before, begun] : [before]) {
		const { events, previous } = from
			? changesBetween(from, state)
			: { events: firstEvents(progress, terms, record, modified), previous: {} };
		const isFiltered = terms.statuses?.includes(state.status) === false;
		const chosen = isFiltered ? [] : intersection(events, terms.events);
		if (chosen.length === 0) continue;
		const after = { ...state, modified, changes: (from?.changes ?? 0) + 1 };
		const time = modified ?? terms.clock.now();
		return { isNew: true, change: { id, events: chosen, previous, from, after, record, time } };
	}
	started.delete(id);
	known.set(id, { ...state, modified, changes: (begun ?? before)?.changes ?? 0 });
	return { isNew: !before || before.modified !== modified };
}

/** The events of a property that was not known. It has no previous values, because nobody knows them. */
function firstEvents(
	{ start, watermark }: AgencyProgress,
	{ startFrom }: ComparisonTerms,
	record: IDataObject,
	modified = -Infinity,
): PropertyEvent[] {
	const isBaseline = watermark === undefined;
	const created = latestServiceTime(record.createdDate);
	if (created === undefined ? !isBaseline : created >= start) return ['created'];
	return startFrom === 'lookBack' && isBaseline && modified >= start ? ['updated'] : [];
}

/** When a property was modified, in the form that is kept; see `KnownProperty`. A time in the future is not used. */
function modifiedOf(
	record: IDataObject,
	listed: number | undefined,
	clock: ServiceClock,
): number | undefined {
	const own = serviceTime(lastTimeIn(record));
	const isOlder = latestTimeOf(record) < (listed ?? -Infinity);
	const modified = isOlder ? own : max([own, listed]);
	if (modified === undefined || modified > clock.now() + MINUTE_MS) return undefined;
	// A property that was modified less than a minute before may have changed again within the same second, so it is
	// read once more.
	return modified + MINUTE_MS >= clock.earliestNow() ? modified - 1 : modified;
}

/** The last moment that the time of a record may mean. A time with a fraction of a second is exact. */
function latestTimeOf(record: IDataObject): number {
	const time = lastTimeIn(record);
	const isExact = /:\d\d\.\d/.test(textOf(time));
	return (isExact ? serviceTime(time) : latestServiceTime(time)) ?? Infinity;
}

/** The last change of a record. If its `modifiedDate` is `null`, it was never modified, and its creation counts. */
function lastTimeIn({ modifiedDate, createdDate }: IDataObject): unknown {
	return modifiedDate === null ? createdDate : modifiedDate;
}
