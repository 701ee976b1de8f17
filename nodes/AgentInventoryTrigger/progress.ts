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
 * The service is asked for current and archived properties by themselves: what it lists without being told which is not stated. A
 * property that was never modified has no time of that: new ones are asked for by when they were created.
 */
export const LISTS = ['current', 'archived', 'created'] as const;

/** Reads lists one after the other, page by page, in as many polls as that takes. */
export interface Pass {
	list: (typeof LISTS)[number];
	/** The page to ask for; unset for the first one. */
	next?: string;
	/** When it began, by the service (UTC in whole seconds); unset until the service has answered. */
	begunAt?: string;
	/** Only what was modified or created from then on is asked for (UTC in whole seconds); unset in the baseline. */
	from?: string;
	/** A record could not be read or has to wait, or a row may have been missed: the next pass asks for the same again. */
	isUnread?: boolean;
}

/** How far the polls of one agency came. All times are the service's (epoch ms). */
export interface AgencyProgress {
	/** Tells for which filters its lists were read. */
	scope: string;
	/** When its first poll was. The changes of its properties are counted from then on. */
	begunAt: number;
	/** What was created from then on is new. */
	start: number;
	/** What was modified or created until then was read, but for what appears late. Unset until the baseline was read. */
	watermark?: number;
	/** The pass under way. */
	pass?: Pass;
	/** The properties as they were delivered, or as they were at the start. */
	known: KnownProperties;
	/** What the runs of changes were started with that n8n may have or not: the process that started them is gone. */
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

/** Stands for an AgencyRef in what is stored, where more people may read than know it. */
export function agencyMark(agencyRef: string): string {
	return shortMark(agencyKey(agencyRef));
}

/** Tells filters apart. */
export function scopeOf(query: object): string {
	return shortMark(JSON.stringify(Object.entries(query).sort()));
}

export function shortMark(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/** A poll that knows of no activation comes after a crash, or with an agency that was added: it reaches back. */
export function beginProgress(terms: ReadingTerms): AgencyProgress {
	const { query, clock, startFrom, isActivation, lookBackMs, startedAt } = terms;
	const begunAt = clock.now(startedAt);
	const isFromNow = startFrom === 'activation' && isActivation;
	const start = begunAt - (isFromNow ? PUBLISHED_WITHIN_MS : lookBackMs);
	return { scope: scopeOf(query), begunAt, start, known: new Map(), started: new Map() };
}

/** Other filters bring properties of which nothing is known. Those that are known stay so, and what was created since is still new. */
export function resetScope(progress: AgencyProgress, scope: string): void {
	const { start, watermark = start } = progress;
	Object.assign(progress, { scope, start: watermark });
	delete progress.watermark;
	delete progress.pass;
}

/** What was modified from a time on is asked for again. */
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
