// What each property was, against what the executions of a workflow were started with.
import type { IDataObject } from 'n8n-workflow';
import groupBy from 'lodash/groupBy';
import isEqual from 'lodash/isEqual';
import mapValues from 'lodash/mapValues';

import { isObject } from '../service/basics/values';
import type { Execution } from '../test/lab/n8n';
import type { Span } from './disturber';
import type { Finding, Ledger } from './ledger';
import { deliveredState, inOneWord, keyOf, type PropertyHistory, type State } from './agencies';

export interface Delivery {
	key: string;
	execution: string;
	/** Epoch milliseconds. */
	at: number;
	events: unknown;
	previous: unknown;
	state: State;
}

/** A state that stood for so long while n8n asked has to be delivered, even if it was undone afterwards. */
const LASTING_MS = 60_000;

export function deliveriesOf(executions: Execution[], trigger: string): Delivery[] {
	return executions.flatMap((execution) =>
		execution
			.triggerItems(trigger)
			.filter(({ json }) => typeof json.id === 'string')
			.map(({ json }) => deliveryOf(execution, json)),
	);
}

function deliveryOf({ id, summary }: Execution, json: IDataObject): Delivery {
	return {
		key: keyOf(json.agencyRef, json.id),
		execution: id,
		at: Date.parse(summary.createdAt),
		events: json.events,
		previous: isObject(json.previous) ? mapValues(json.previous, inOneWord) : json.previous,
		state: deliveredState(json),
	};
}

/**
 * @param deliveries oldest first
 * @param absences when nothing was asked, in the order of time
 */
export function reckon(
	histories: PropertyHistory[],
	deliveries: Delivery[],
	absences: Span[] = [],
): Ledger {
	const byKey = groupedBy(deliveries, ({ key }) => key);
	const known = new Set(histories.map(({ key }) => key));
	const findings = histories.flatMap((history) =>
		judge(history, byKey.get(history.key) ?? [], absences),
	);
	const unknown = deliveries.filter(({ key }) => !known.has(key));
	const perExecution = groupedBy(deliveries, ({ execution }) => execution);
	const shared = [...perExecution.values()].filter(({ length }) => length > 1);
	return {
		right: histories.length - new Set(findings.map(({ key }) => key)).size,
		findings: [
			...findings,
			...unknown.map((each) => found('made up', each, 'no such property')),
			...shared.flatMap((each) => each.map((one) => found('shared', one, 'with others'))),
		],
		notes: [`${deliveries.length} changes delivered of ${histories.length} properties`],
	};
}

/** Each delivery has to begin where the one before it ended, and the last one has to tell what the property is. */
function judge(history: PropertyHistory, deliveries: Delivery[], absences: Span[]): Finding[] {
	const { moments, isNew, isRemoved, key } = history;
	const findings: Finding[] = [];
	let last = isNew ? undefined : moments[0]?.state;
	let before: Delivery | undefined;
	for (const delivery of deliveries) {
		const wrong = misfit(history, last, delivery);
		if (wrong !== undefined) {
			const what = before && isSame(before, delivery) ? 'doubled' : wrong;
			findings.push(found(what, delivery, `after ${text(last)}`));
		}
		last = delivery.state;
		before = delivery;
	}
	const final = moments.at(-1)?.state;
	if (!isRemoved && !isEqual(last, final)) {
		const detail = `is ${text(final)}, last delivered as ${text(last)}`;
		findings.push({ key, what: 'lost', detail, isOpen: true });
	}
	return [...findings, ...missedLasting(history, deliveries, absences)];
}

/** @returns what is wrong about a delivery */
function misfit(
	{ moments }: PropertyHistory,
	last: State | undefined,
	{ state, events, previous, at }: Delivery,
): 'lost' | 'made up' | undefined {
	const wasSo = moments.some((moment) => moment.at <= at && isEqual(moment.state, state));
	if (!wasSo) return 'made up';
	if (last === undefined) return isEqual(events, ['created']) ? undefined : 'lost';
	const expected = changeBetween(last, state);
	return isEqual({ events, previous }, expected) && expected.events.length > 0 ? undefined : 'lost';
}

function changeBetween(last: State, state: State) {
	const isMoved = last.archived !== state.archived;
	const isOfOtherStatus = last.status !== state.status;
	const isRepriced = last.price !== state.price;
	return {
		events: [
			...(isMoved || isOfOtherStatus ? ['statusChanged'] : []),
			...(isRepriced ? ['priceChanged'] : []),
			...(last.bathrooms === state.bathrooms ? [] : ['updated']),
		],
		previous: {
			...(isOfOtherStatus && { status: last.status }),
			...(isMoved && { archived: last.archived }),
			...(isRepriced && { price: last.price }),
		},
	};
}

function missedLasting(
	{ key, moments }: PropertyHistory,
	deliveries: Delivery[],
	absences: Span[],
): Finding[] {
	return moments.slice(1, -1).flatMap(({ at, state }, index) => {
		const until = moments[index + 2]?.at ?? at;
		const isTold = deliveries.some((each) => each.at >= at && isEqual(each.state, state));
		const ms = longestPresence({ from: at, to: until }, absences);
		return ms < LASTING_MS || isTold
			? []
			: [{ key, what: 'lost' as const, detail: `was ${text(state)} for ${ms} ms` }];
	});
}

/** For how long n8n asked without a break within a span, at the longest, in milliseconds. */
function longestPresence({ from, to }: Span, absences: Span[]): number {
	const starts = [from, ...absences.map((absence) => absence.to)];
	const ends = [...absences.map((absence) => absence.from), to];
	const presences = starts.map((start, index) => {
		return Math.min(to, ends[index] ?? to) - Math.max(from, start);
	});
	return Math.max(...presences);
}

function isSame(one: Delivery, other: Delivery): boolean {
	return isEqual(
		[one.state, one.events, one.previous],
		[other.state, other.events, other.previous],
	);
}

function found(what: Finding['what'], delivery: Delivery, more: string): Finding {
	const { key, execution, events, previous, state } = delivery;
	const detail = `execution ${execution} told ${text({ events, previous, state })} ${more}`;
	return { what, key, detail };
}

function text(value: unknown): string {
	return JSON.stringify(value) ?? 'nothing';
}

function groupedBy(deliveries: Delivery[], by: (delivery: Delivery) => string) {
	return new Map(Object.entries(groupBy(deliveries, by)));
}
