import { createHash } from 'node:crypto';

import mapValues from 'lodash/mapValues';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds } from '../../service/basics/times';
import { agencyKey } from '../../service/inventory/agencyRef';
import { PUBLISHED_WITHIN_MS } from '../common/polling/host';
import { progressFormat } from '../common/polling/progressFormat';
import type { AnyProgress } from '../common/polling/taskTracker';
import { storedObject, storedText, storedTime, UnreadableProgress } from '../common/storedValues';
import type { ReadingTerms } from './agencyReading';
import type { KnownProperties } from './known';
import { readKnown, writeKnown } from './known';

/**
 * The lists that a pass reads. It asks for current and archived properties separately, because the contract does not
 * say which of them a list without this filter has. A property that was never modified has no modified time, so new
 * properties are asked for by their creation time.
 */
export const LISTS = ['current', 'archived', 'created'] as const;

/** A pass: it reads the lists one after the other, page by page, in as many polls as that takes. */
export interface Pass {
	list: (typeof LISTS)[number];
	/** The token of the page to ask for; unset for the first page. */
	next?: string;
	/** When the pass began, by the service's clock (UTC in whole seconds); unset until the service has answered. */
	begunAt?: string;
	/**
	 * The pass asks for properties that were modified or created from this time on (UTC in whole seconds); unset in the
	 * baseline.
	 */
	from?: string;
	/**
	 * True if a record could not be read or has to wait, or a row may have been missed. The next pass then asks for the
	 * same period again.
	 */
	isUnread?: boolean;
}

/** The progress of one agency. All times are by the service's clock (epoch ms). */
export interface AgencyProgress {
	/** Identifies the filters with which the lists were read. */
	scope: string;
	/** When the agency's first poll was. The changes of its properties are counted from then on. */
	begunAt: number;
	/** A property that was created at this time or later is new. */
	start: number;
	/**
	 * The time up to which modified and created properties were read, except those that appear late. It is unset until
	 * the baseline was read.
	 */
	watermark?: number;
	/** The pass under way. */
	pass?: Pass;
	/** The properties in the state that was delivered last, or that they had at the start. */
	known: KnownProperties;
	/** The states with which a process that is gone started runs of changes. n8n may have these runs or not. */
	started: KnownProperties;
}

/** The progress of a node. */
export interface Progress extends AnyProgress {
	/** By the mark of the agency. */
	agencies: Map<string, AgencyProgress>;
}

/** The values of “Start From”. */
export const INVENTORY_STARTS = ['activation', 'lookBack'] as const;

export type StartFrom = (typeof INVENTORY_STARTS)[number];

/**
 * The mark of an agency in stored progress: a hash of its AgencyRef, because more people may read the progress than
 * may know the AgencyRef.
 */
export function agencyMark(agencyRef: string): string {
	return shortMark(agencyKey(agencyRef));
}

/** Identifies filters: a hash of them. */
export function scopeOf(query: object): string {
	return shortMark(JSON.stringify(Object.entries(query).sort()));
}

export function shortMark(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/**
 * The progress with which an agency begins. If this poll is no activation, n8n has crashed or the agency was added
 * later, so the start reaches back.
 */
export function beginProgress(terms: ReadingTerms): AgencyProgress {
	const { query, clock, startFrom, isActivation, lookBackMs, startedAt } = terms;
	const begunAt = clock.now(startedAt);
	const isFromNow = startFrom === 'activation' && isActivation;
	const start = begunAt - (isFromNow ? PUBLISHED_WITHIN_MS : lookBackMs);
	return { scope: scopeOf(query), begunAt, start, known: new Map(), started: new Map() };
}

/**
 * Begins a new baseline after the filters have changed, because they bring properties that are not known. Known
 * properties stay known, and a property that was created since the start is still new.
 */
export function resetScope(progress: AgencyProgress, scope: string): void {
	const { start, watermark = start } = progress;
	Object.assign(progress, { scope, start: watermark });
	delete progress.watermark;
	delete progress.pass;
}

/** Moves the watermark back, so that properties modified from a time on are asked for again. */
export function rewind(progress: AgencyProgress, time: number): void {
	const { watermark, pass } = progress;
	if (watermark !== undefined) progress.watermark = Math.min(watermark, time);
	if (pass) progress.pass = { ...pass, isUnread: true };
}

export const INVENTORY_FORMAT = progressFormat(
	{ agencies: {} },
	({ agencies }) => ({
		agencies: new Map(Object.entries(mapValues(storedObject(agencies), readAgency))),
	}),
	({ agencies }) => ({ agencies: mapValues(Object.fromEntries(agencies), writeAgency) }),
);

function readAgency(stored: unknown): AgencyProgress {
	const { scope, begunAt, start, watermark, pass, known, started } = storedObject(stored);
	return {
		scope: storedText(scope),
		begunAt: storedTime(begunAt),
		start: storedTime(start),
		...(watermark !== undefined && { watermark: storedTime(watermark) }),
		...(pass !== undefined && { pass: readPass(pass) }),
		known: readKnown(storedText(known)),
		started: readKnown(storedText(started)),
	};
}

function writeAgency(progress: AgencyProgress): IDataObject {
	const { scope, begunAt, start, watermark, pass, known, started } = progress;
	return {
		scope,
		begunAt: isoSeconds(begunAt),
		start: isoSeconds(start),
		...(watermark !== undefined && { watermark: isoSeconds(watermark) }),
		...(pass && { pass: { ...pass } }),
		known: writeKnown(known),
		started: writeKnown(started),
	};
}

function readPass(stored: unknown): Pass {
	const { list, isUnread, ...texts } = storedObject(stored);
	const name = LISTS.find((each) => each === list);
	if (!name) throw new UnreadableProgress(list);
	return {
		list: name,
		...mapValues(pick(texts, ['next', 'begunAt', 'from']), storedText),
		...(isUnread === true && { isUnread }),
	};
}
