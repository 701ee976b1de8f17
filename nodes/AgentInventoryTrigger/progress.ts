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
 * The lists of properties that a poll reads one after the other. Current and archived properties are asked for
 * separately, because the service's contract does not say which of them a list without this filter contains. New
 * properties are asked for by their creation time, because a property that was never modified has no modification time.
 */
export const LISTS = ['current', 'archived', 'created'] as const;

/**
 * A pass, that is one reading of all lists of an agency's properties, one list after the other and page by page. It may
 * take several polls.
 */
export interface Pass {
	list: (typeof LISTS)[number];
	/** The token of the page to ask for; unset for the first page. */
	next?: string;
	/**
	 * When the pass (the reading of all lists) started, by the service's clock (UTC in whole seconds); unset until the
	 * service has answered.
	 */
	begunAt?: string;
	/**
	 * The earliest modification or creation time that is asked for (UTC in whole seconds). It is unset in the baseline,
	 * which is the first reading of all properties.
	 */
	from?: string;
	/**
	 * True if the pass (the reading of all lists) is not complete: a record could not be read, a property has to wait
	 * because a change of it is in the queue, or a row may have been missed. The next pass then reads the same period
	 * again.
	 */
	isUnread?: boolean;
}

/** How far the trigger has read one agency. All times are those of the service's clock (epoch ms). */
export interface AgencyProgress {
	/** A hash of the filters with which the agency's properties were read. */
	scope: string;
	/**
	 * When the agency was polled for the first time. The trigger numbers the changes of each of its properties from
	 * then on.
	 */
	begunAt: number;
	/** A property that was created at this time or later is new. */
	start: number;
	/**
	 * The watermark: the time up to which modified and created properties were read, except those that the service
	 * lists late. It is unset until the baseline, that is the first reading of all properties, is complete.
	 */
	watermark?: number;
	/** The pass (the reading of all lists) that is under way. */
	pass?: Pass;
	/**
	 * The last known state of each property. If a change of a property is to be delivered, the state after the change
	 * is stored here only after the delivery.
	 */
	known: KnownProperties;
	/**
	 * The states of properties after changes for which an earlier process started runs. This process does not know
	 * whether n8n has these runs.
	 */
	started: KnownProperties;
}

/** The progress of one Agent Inventory Trigger, which n8n stores. */
export interface Progress extends AnyProgress {
	/** The progress of each agency, by the agency's mark, that is a hash of its AgencyRef. */
	agencies: Map<string, AgencyProgress>;
}

/** The values of “Start From”. */
export const INVENTORY_STARTS = ['activation', 'lookBack'] as const;

export type StartFrom = (typeof INVENTORY_STARTS)[number];

/**
 * Makes the mark of an agency for stored progress: a hash of its AgencyRef, because people who may read the progress
 * are not always allowed to know the AgencyRef.
 */
export function agencyMark(agencyRef: string): string {
	return shortMark(agencyKey(agencyRef));
}

/** Makes a hash of filters, by which the trigger notices that the filters have changed. */
export function scopeOf(query: object): string {
	return shortMark(JSON.stringify(Object.entries(query).sort()));
}

export function shortMark(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

/**
 * Makes the initial progress of an agency. Properties that were created in the look-back period count as new if “Start
 * From” asks for that, or if this poll is not part of an activation of the workflow: then the agency was added later,
 * or n8n crashed before it stored any progress.
 */
export function beginProgress(terms: ReadingTerms): AgencyProgress {
	const { query, clock, startFrom, isActivation, lookBackMs, startedAt } = terms;
	const begunAt = clock.now(startedAt);
	const isFromNow = startFrom === 'activation' && isActivation;
	const start = begunAt - (isFromNow ? PUBLISHED_WITHIN_MS : lookBackMs);
	return { scope: scopeOf(query), begunAt, start, known: new Map(), started: new Map() };
}

/**
 * Makes the trigger read all properties again (a new baseline) after the filters have changed, because the new filters
 * select properties that are not known yet. Known properties stay known. A property created after the last reading
 * still counts as new.
 */
export function resetScope(progress: AgencyProgress, scope: string): void {
	const { start, watermark = start } = progress;
	Object.assign(progress, { scope, start: watermark });
	delete progress.watermark;
	delete progress.pass;
}

/**
 * Moves the watermark (the time up to which properties were read) back to an earlier time, so that properties modified
 * since then are read again.
 */
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
