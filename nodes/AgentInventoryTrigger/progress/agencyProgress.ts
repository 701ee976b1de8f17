import { createHash } from 'node:crypto';

import mapValues from 'lodash/mapValues';

import { agencyKey } from '../../../service/inventory/agencyRef';
import { KnownProperties } from './knownProperties';
import type { KnownProperty } from './knownProperties';
import type { ListPass } from './listPass';

/**
 * The service is asked for current and archived properties by themselves: what it lists without being told which is not
 * said. A property that was never modified has no time to ask for: new ones are asked for by when they were created.
 */
export const LISTS = ['current', 'archived', 'created'] as const;

/** Those that tell what each property was at the start. */
export const BASELINE_LISTS = ['current', 'archived'] as const;

export type ListName = (typeof LISTS)[number];

/** By which of its times a list is asked for what is new. */
export function timeAskedFor(list: ListName): 'modified' | 'created' {
	return list === 'created' ? 'created' : 'modified';
}

/** How far a list was read. All times are the service’s, in epoch milliseconds. */
export interface ListProgress {
	/** Whatever was modified (in the list of new ones: created) until then was read, but for what shows up late. */
	watermark: number;
	/** The pass for what was modified since then, if it has not come to its end. */
	changes?: ListPass;
	/** The pass for what each property was at the start; unset once it has come to its end. */
	baseline?: ListPass;
}

/** A property whose record is still to be read. */
export interface Pending {
	/** The time at which the service says it was modified; unset if it does not say. */
	modified?: number;
	/** Since when. */
	since: number;
	/** How many times it was read in vain. */
	tries: number;
	/** Set if it was to be read before it was known what each property was at the start: its first record is what it was. */
	isEarly?: boolean;
}

/** How far the polls of one agency came. */
export interface AgencyProgress {
	/** Tells for which filters its lists were read. */
	scope: string;
	/** When its first poll was; never changes. */
	begunAt: number;
	/** What was created from then on is new. */
	start: number;
	lists: Record<ListName, ListProgress>;
	/** The properties as they were delivered, or as they were at the start. */
	known: KnownProperties;
	pending: Map<string, Pending>;
	/** What properties are known as once the runs of their changes have ended: a process before this one began them. */
	begun: Map<string, KnownProperty>;
}

/** Stands for an AgencyRef in what is stored, where more people may read than know it. */
export function agencyMark(agencyRef: string): string {
	return shortMark(agencyKey(agencyRef));
}

/** Tells filters apart. */
export function scopeOf(query: object): string {
	return shortMark(JSON.stringify(Object.entries(query).sort()));
}

function shortMark(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/**
 * @param start what was created from then on is new
 * @param now the service’s time
 */
export function beginProgress(scope: string, start: number, now: number): AgencyProgress {
	const list = (): ListProgress => ({ watermark: start, baseline: { begunAt: now } });
	return {
		scope,
		begunAt: now,
		start,
		lists: { current: list(), archived: list(), created: { watermark: start } },
		known: new KnownProperties(''),
		pending: new Map(),
		begun: new Map(),
	};
}

/**
 * Other filters bring properties of which nothing is known: what each of them was is read once more. Those that are
 * known stay so, and what was created since the last poll is still new.
 */
export function rescope(progress: AgencyProgress, scope: string, now: number): void {
	const { lists } = progress;
	progress.scope = scope;
	progress.start = Math.min(...LISTS.map((name) => lists[name].watermark));
	for (const name of BASELINE_LISTS) lists[name].baseline = { begunAt: now };
}

export function copyOf({ lists, known, pending, begun, ...rest }: AgencyProgress): AgencyProgress {
	return {
		...rest,
		lists: mapValues(lists, (list) => ({ ...list })),
		known: known.copy(),
		pending: new Map(pending),
		begun: new Map(begun),
	};
}

/** Whether it is known what each property was at the start. */
export function hasBaseline({ lists }: AgencyProgress): boolean {
	return BASELINE_LISTS.every((name) => lists[name].baseline === undefined);
}

/** n8n starts no run for these any more: those that were begun count as delivered. */
export function leaveBegun({ begun, known }: AgencyProgress): void {
	for (const [id, property] of begun) known.set(id, property);
	begun.clear();
}
