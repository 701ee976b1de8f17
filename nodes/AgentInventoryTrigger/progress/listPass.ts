import max from 'lodash/max';
import sortBy from 'lodash/sortBy';
import sortedLastIndex from 'lodash/sortedLastIndex';

import { DAY_MS, SECOND_MS, wholeSeconds } from '../../../service/basics/times';

/** A property’s time is not before that, as far as it counts here. */
const LONGEST_MS = 30 * 365 * 24 * 3_600 * SECOND_MS;

/** A page that is not half full lets the next window be longer. */
const FEW_ROWS = 100;

/**
 * How far a list of properties was read, in the order of the times at which they were modified or created. It changes while
 * it is read, and what moves up to a page that was read would be missed. So whatever does not fit one page is asked
 * for in windows of time that do: each is one answer, and what leaves a window is in a later one.
 */
export interface ListPass {
	/** When it began, by the service (epoch ms). */
	begunAt: number;
	/** Up to which time the windows were read, in whole seconds (epoch ms); unset before the first one. */
	position?: number;
	/** How long a window may be, in milliseconds; unset as long as one answer brings all the rest, 0 if windows do not help. */
	stepMs?: number;
	/** Up to this time there was more than a page from where the pass stood (epoch ms). */
	crowdedTo?: number;
	/** Set if its windows are of modified times although those of creation are asked for first. */
	by?: 'modified';
}

/** What to ask for: properties modified, or created, from a time on, and up to one; both belong to it (epoch ms). */
export interface TimeWindow {
	from?: number;
	to?: number;
}

/** @param now the service's time */
export function windowOf(pass: ListPass, now: number): TimeWindow {
	const { position, stepMs } = pass;
	const from = position === undefined ? {} : { from: position };
	if (!stepMs) return from;
	const to = startOf(pass) + stepMs;
	return to < now ? { ...from, to } : from;
}

/** Whether a window is so short that what does not fit one page has to be read page by page. */
export function isShortest(pass: ListPass, { to }: TimeWindow, now: number): boolean {
	return pass.stepMs === 0 || (to ?? now) - startOf(pass) <= SECOND_MS;
}

/**
 * Whether the service overlooks windows: most rows are far out of this one, or do not fit one of its length. A time without an
 * offset may be that of any place: it is as far off for all of them.
 *
 * @param times of the rows (epoch ms)
 */
export function isOverlooked(
	{ from = -Infinity, to = Infinity }: TimeWindow,
	times: Array<number | undefined>,
): boolean {
	const told = sortBy(times.filter((time) => time !== undefined));
	const near = told.filter((time) => time >= from - DAY_MS && time <= to + DAY_MS);
	// A window has the whole of its last second.
	const lengthMs = to - from + SECOND_MS;
	const fitting = near.map((time, index) => sortedLastIndex(near, time + lengthMs) - index);
	return told.length - (max(fitting) ?? 0) > Math.max(FEW_ROWS, times.length) / 2;
}

/** Whether no window helps: most rows of a page that is not all have no time. */
export function isTimeless(times: Array<number | undefined>): boolean {
	return times.filter((time) => time === undefined).length > Math.max(FEW_ROWS, times.length) / 2;
}

/** The pass after the service turned out to overlook windows: all the rest is asked for, page by page. */
export function atOnce(pass: ListPass): ListPass {
	return { ...pass, stepMs: 0 };
}

/**
 * The pass for what windows of creation leave out: properties that do not say when they were created.
 *
 * @returns undefined if the pass had no such windows
 */
export function secondPass({ begunAt, position, by }: ListPass): ListPass | undefined {
	const hadWindows = position !== undefined;
	return hadWindows && by === undefined ? byModified({ begunAt }) : undefined;
}

/** The pass from its beginning on, by modified times. */
export function byModified({ begunAt }: Pick<ListPass, 'begunAt'>): ListPass {
	return { begunAt, by: 'modified' };
}

/** The pass after a window turned out to be more than a page. */
export function narrowed(pass: ListPass, { to }: TimeWindow, now: number): ListPass {
	const crowdedTo = wholeSeconds(to ?? now);
	const stepMs = Math.max(SECOND_MS, wholeSeconds((crowdedTo - startOf(pass)) / 2));
	return { ...pass, stepMs, crowdedTo };
}

/** The pass after a window was read; undefined if that was all. */
export function advanced(pass: ListPass, { to }: TimeWindow, count: number): ListPass | undefined {
	if (to === undefined) return undefined;
	const { stepMs = SECOND_MS, crowdedTo = to } = pass;
	if (count >= FEW_ROWS) return { ...pass, position: to };
	const isCrowded = crowdedTo > to;
	const mostMs = isCrowded ? Math.max(stepMs, wholeSeconds((crowdedTo - to) / 2)) : Infinity;
	return { ...pass, position: to, stepMs: Math.min(stepMs * 2, mostMs) };
}

function startOf({ position, begunAt }: ListPass): number {
	return position ?? wholeSeconds(begunAt) - LONGEST_MS;
}
