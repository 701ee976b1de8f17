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

/**
 * The events that can happen to a property, the most important first: a change of status comes before a change of
 * price, because nobody needs to know a lower price once the property is let.
 */
export const EVENTS = ['created', 'statusChanged', 'priceChanged', 'updated'] as const;

export type PropertyEvent = (typeof EVENTS)[number];

/** The values of a property that the trigger compares to find changes. */
export interface PropertyState {
	price: string | number | null;
	/** The status as the service spells it; empty if the property has none. */
	status: string;
	archived: boolean;
	/** A hash of all compared fields except price, status and archived. */
	rest: string;
}

/** The previous values of a property, only for the fields that changed. */
export type PreviousValues = Partial<Omit<PropertyState, 'rest'>>;

/**
 * The fields of a record that are not part of the hash `rest`: the ID, the times of the record, fields that are
 * compared one by one (such as the price), fields that repeat the value of another field, and the remaining years of a
 * lease, which change without any action.
 */
const NOT_IN_REST = new Set([
	...['id', 'createdDate', 'modifiedDate'],
	...['price', 'archived', 'inventoryStatus', 'status', 'isAtActiveStatus'],
	...['negotiatorName', 'leaseRemainingYears'],
]);

/**
 * Reads from a record the values that the trigger compares to find changes.
 *
 * @param record the full record of a property, not a row of a list
 */
export function stateOf(record: IDataObject): PropertyState {
	const { price, inventoryStatus, status, archived } = record;
	return {
		price: priceOf(price),
		// The field `status` has spaces between its words (`Under Offer`). The field `inventoryStatus` has the same
		// status in one word (`UnderOffer`).
		status: withoutHalves(textOf(inventoryStatus) || textOf(status).replace(/ /g, '')),
		archived: archived === true,
		rest: markOfRest(record),
	};
}

/** Compares two states of a property. Returns the events, and the previous values of the fields that changed. */
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
 * Brings a value into a fixed order, so that equal records become equal texts. The order of fields does not matter, and
 * an empty value equals a missing value.
 */
function inFixedOrder(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(inFixedOrder);
	if (!isObject(value)) return value;
	const set = Object.entries(value).map(([name, each]) => [name, inFixedOrder(each)] as const);
	return set
		.filter(([, each]) => !isNothing(each))
		.sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * True if a value is empty.
 *
 * @param value a value in which `inFixedOrder` has already turned objects into lists
 */
function isNothing(value: unknown): boolean {
	if (value === undefined || value === null || value === '') return true;
	return Array.isArray(value) && value.length === 0;
}

function priceOf(value: unknown): PropertyState['price'] {
	const price = plainValue(value);
	return typeof price === 'number' ? price : price === null ? null : withoutHalves(String(price));
}

/** Replaces lone halves of surrogate pairs, which databases cannot store. */
function withoutHalves(text: string): string {
	return text.replace(/\p{Cs}/gu, '\uFFFD');
}

/** A change of a property. */
export interface PropertyChange {
	id: string;
	/** Those events of the change that the person has chosen, the most important first. */
	events: PropertyEvent[];
	previous: PreviousValues;
	/** The state of the property before the change; unset if the trigger did not know the property. */
	from?: KnownProperty;
	after: KnownProperty;
	record: IDataObject;
	/**
	 * When the property was last modified (epoch ms). If the service does not say so, it is the time at which the
	 * change was found.
	 */
	time: number;
}

/** The conditions that decide which changes are delivered. */
export interface ComparisonTerms {
	clock: ServiceClock;
	startFrom: StartFrom;
	/** The events that the person has chosen. */
	events: PropertyEvent[];
	/** A change is delivered only if the property then has one of these statuses; unset if any status will do. */
	statuses?: string[];
}

/**
 * Compares a record with the last known state of its property. If there is no change to deliver, this function stores
 * the new state. If there is one, the new state is stored later, when the change has been delivered. A record that is
 * older than the known state is ignored, because the service may for a while show an earlier state.
 *
 * @param listed when the property was modified, as its row in the list says
 * @returns whether the record tells the trigger anything new, and the change to deliver, if there is one
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
	// If an earlier process of n8n may have started a run for a change of this property, the record is compared both
	// with the state before that change and with the state after it. Even if the property has returned to the state
	// before the change, the workflow needs to know, because the run has reported the state after it.
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

/**
 * Finds the events of a property that is new to the trigger. They have no previous values, because the trigger knows
 * none.
 */
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

/**
 * Finds out when a property was last modified, in the form of the field `modified` of `KnownProperty`: one millisecond
 * early if another change may get the same time, and undefined if the time is not known. A time in the future is not
 * used.
 */
function modifiedOf(
	record: IDataObject,
	listed: number | undefined,
	clock: ServiceClock,
): number | undefined {
	const own = serviceTime(lastTimeIn(record));
	const isOlder = latestTimeOf(record) < (listed ?? -Infinity);
	const modified = isOlder ? own : max([own, listed]);
	if (modified === undefined || modified > clock.now() + MINUTE_MS) return undefined;
	// A property that was modified less than a minute ago may change again and get the same time. With a time that is
	// one millisecond earlier, the next poll reads the property once more.
	return modified + MINUTE_MS >= clock.earliestNow() ? modified - 1 : modified;
}

/**
 * Returns the last moment that a record's time of modification may mean. A time without seconds may mean any second of
 * its minute; a time with a fraction of a second is exact.
 */
function latestTimeOf(record: IDataObject): number {
	const time = lastTimeIn(record);
	const isExact = /:\d\d\.\d/.test(textOf(time));
	return (isExact ? serviceTime(time) : latestServiceTime(time)) ?? Infinity;
}

/**
 * Returns the time of the last change of a record, as the service sent it. If `modifiedDate` is `null`, the record was
 * never modified, so this is the time of its creation.
 */
function lastTimeIn({ modifiedDate, createdDate }: IDataObject): unknown {
	return modifiedDate === null ? createdDate : modifiedDate;
}
