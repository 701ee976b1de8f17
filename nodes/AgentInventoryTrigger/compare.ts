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

/** What has happened to a property. */
export interface PropertyChange {
	id: string;
	/** Those that the person has chosen, the most important one first. */
	events: PropertyEvent[];
	previous: PreviousValues;
	/** Unset for a new one. */
	from?: KnownProperty;
	after: KnownProperty;
	record: IDataObject;
	/** When it was last modified, as far as the service says (epoch ms). */
	time: number;
}

/** What decides which changes are delivered. */
export interface ComparisonTerms {
	clock: ServiceClock;
	startFrom: StartFrom;
	/** Those that the person has chosen. */
	events: PropertyEvent[];
	/** To which of them a property must have come; unset: any. */
	statuses?: string[];
}

/**
 * Holds a record against what is known of its property, and notes what the property is, unless that is a change: whoever delivers a
 * change notes it. The service may show for a while what a property was: nothing is made of a record that is older than what is known.
 *
 * @param listed when it was modified, as its row has it
 * @returns whether it brought something new, and what is to be delivered
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
	// If it is again as it was, the run that was started has told of something else.
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

/** Of a property that was not known, nothing is made up about what it was. */
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

/** When a property was modified, as it is kept; see `KnownProperty`. A time in the future tells nothing. */
function modifiedOf(
	record: IDataObject,
	listed: number | undefined,
	clock: ServiceClock,
): number | undefined {
	const own = serviceTime(lastTimeIn(record));
	const isOlder = latestTimeOf(record) < (listed ?? -Infinity);
	const modified = isOlder ? own : max([own, listed]);
	if (modified === undefined || modified > clock.now() + MINUTE_MS) return undefined;
	// A poll takes less than a minute.
	return modified + MINUTE_MS >= clock.earliestNow() ? modified - 1 : modified;
}

/** The last moment that the time of a record may mean: with a fraction of a second it is exact. */
function latestTimeOf(record: IDataObject): number {
	const time = lastTimeIn(record);
	const isExact = /:\d\d\.\d/.test(textOf(time));
	return (isExact ? serviceTime(time) : latestServiceTime(time)) ?? Infinity;
}

/** One that says `null` was never modified, and is as it was created. */
function lastTimeIn({ modifiedDate, createdDate }: IDataObject): unknown {
	return modifiedDate === null ? createdDate : modifiedDate;
}
