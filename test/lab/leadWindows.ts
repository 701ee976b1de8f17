import { expect } from '@jest/globals';
import sortedIndex from 'lodash/sortedIndex';
import sortedLastIndex from 'lodash/sortedLastIndex';
import uniq from 'lodash/uniq';

import type { Answered, FilterWindow } from '../../service/leads/fittingWindows';
import { newerPart } from '../../service/leads/fittingLength';
import { FittingWindows } from '../../service/leads/fittingWindows';
import type { TimeWindow } from '../../service/leads/window';
import { DAY, MINUTE, SECOND } from './times';

const AT_ONCE = 16;

/** More requests than any period needs: whoever makes them goes on without end. */
const FAR_TOO_MANY = 10_000;

export const MONTH: TimeWindow = { from: 1_780_000_000_000, to: 1_780_000_000_000 + 30 * DAY };

/** The times of the leads of each filter in order, and how many of them are too many for one answer. */
export interface Service {
	leads: Map<string, number[]>;
	most?: number;
}

export interface Course {
	answers: Array<Answered<string>>;
	/** Requests that failed among them. */
	requests: number;
	/** How many windows of a filter were under way, before each answer. */
	underWay: number[];
	/** Each filter’s leads, as often as they came. */
	found: Map<string, number[]>;
	largest: number;
}

/** Which of so many answers that are under way comes next. */
export type Next = (underWay: number) => number;

/** Asks for all windows of the period, as the node does. */
export function played(
	period: TimeWindow,
	{ leads, most = Infinity }: Service,
	{ wanted = Infinity, next = () => 0 }: { wanted?: number; next?: Next } = {},
): Course {
	const windows = new FittingWindows(period, [...leads.keys()]);
	const found = new Map([...leads.keys()].map((filter) => [filter, new Array<number>()]));
	const course: Course = { answers: [], requests: 0, underWay: [], found, largest: 0 };
	const count = () => [...found.values()].reduce((sum, times) => sum + uniq(times).length, 0);
	const answer = ({ filter, window }: FilterWindow<string>): Answered<string> => {
		let answered = window;
		const held = () => within(answered, leads.get(filter) ?? []);
		for (; held().length > most && answered.to - answered.from > MINUTE; course.requests++) {
			answered = newerPart(answered);
		}
		course.requests++;
		course.largest = Math.max(course.largest, held().length);
		found.get(filter)?.push(...held());
		return { filter, window, answered, count: held().length };
	};
	for (let parts = 0; windows.goFurther(count(), wanted); parts++) {
		expectAnEnd(parts);
		const underWay: Array<FilterWindow<string>> = [];
		for (;;) {
			underWay.push(...windows.next(AT_ONCE - underWay.length));
			const [comes] = underWay.splice(next(underWay.length), 1);
			if (!comes) break;
			const beside = underWay.filter(({ filter }) => filter === comes.filter);
			course.underWay.push(beside.length + 1);
			expectAnEnd(course.requests);
			course.answers.push(answer(comes));
			windows.take(course.answers.at(-1) as Answered<string>);
		}
		expect(underWay).toEqual([]);
	}
	return course;
}

function expectAnEnd(times: number): void {
	if (times > FAR_TOO_MANY) throw new Error('The windows have no end');
}

export function within({ from, to }: TimeWindow, times: number[]): number[] {
	return times.slice(sortedIndex(times, from), sortedLastIndex(times, to));
}

/** Leads at even distances, as many a day as said. */
export function evenly(perDay: number, { from, to }: TimeWindow = MONTH): number[] {
	const count = Math.round(((to - from) / DAY) * perDay);
	return Array.from({ length: count }, (_, index) =>
		seconds(from + ((index + 0.5) / perDay) * DAY),
	);
}

function seconds(ms: number): number {
	return Math.floor(ms / SECOND) * SECOND;
}

export function branches(count: number, times: number[]): Map<string, number[]> {
	return new Map(Array.from({ length: count }, (_, index) => [`branch ${index}`, times]));
}

export function inOrder(times: number[] = []): number[] {
	return uniq(times).sort((a, b) => a - b);
}
