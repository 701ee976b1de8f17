import type { IDataObject } from 'n8n-workflow';

import type { ServiceClock } from '../../../service/basics/clock';
import { HOUR_MS, latestServiceTime, SECOND_MS, serviceTime } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import type { AgencyProgress } from './agencyProgress';
import { hasBaseline } from './agencyProgress';
import type { KnownProperty } from './knownProperties';
import type { PreviousValues, PropertyEvent, PropertyState } from './propertyState';
import { changesBetween, stateOf } from './propertyState';
import type { StartFrom } from './start';
import { CLOCK_DOUBT_MS } from './start';

/** What was modified so shortly before it was read may be modified once more without another time. */
const SETTLED_AFTER_MS = 15 * SECOND_MS;

/** So many times a record that is older than its row is read again. Then it counts as it is. */
const MOST_STALE = 5;

/** A record that cannot be read is left out after so many polls, and not before this time. */
const MOST_TRIES = 10;
const LEFT_OUT_AFTER_MS = HOUR_MS;

/** What has happened to a property. */
export interface PropertyChange {
	id: string;
	/** Those that the person has chosen, the most important one first. */
	events: PropertyEvent[];
	previous: PreviousValues;
	/** Unset for a new one. */
	before?: KnownProperty;
	after: KnownProperty;
	record: IDataObject;
	/** When it was last modified, as far as the service says (epoch ms). */
	time: number;
}

/** What decides which changes are delivered. */
export interface ComparisonTerms {
	clock: ServiceClock;
	startFrom: StartFrom;
	/** Which events a property that has come to this state is delivered for. */
	chosen: (events: PropertyEvent[], after: PropertyState) => PropertyEvent[];
	/** Whether a change counts as delivered only once its run has ended. */
	holds: boolean;
}

/** Holds what the service tells of properties against what is known of them. */
export class Comparison {
	constructor(
		private readonly terms: ComparisonTerms,
		private readonly progress: AgencyProgress,
	) {}

	/** Whether nothing is to be learned from a record that was modified at this time. */
	isKnownAt(id: string, modified: number | undefined): boolean {
		const known = this.progress.known.get(id)?.modified;
		return known !== undefined && modified !== undefined && modified <= known;
	}

	/** Its record is to be read in a later poll. */
	pend(id: string, modified: number | undefined, tries = 0): void {
		const { pending } = this.progress;
		const known = pending.get(id);
		pending.set(id, {
			since: known?.since ?? this.terms.clock.now(),
			tries: (known?.tries ?? 0) + tries,
			modified: latest(modified, known?.modified),
		});
	}

	/** Its record could not be read: it is read again, unless the service has not had it for a long time. */
	miss(id: string, modified: number | undefined, told?: ServiceError): void {
		this.pend(id, modified, 1);
		const { pending } = this.progress;
		const { tries = 0, since = 0 } = pending.get(id) ?? {};
		const isLong = tries >= MOST_TRIES && this.terms.clock.now() - since >= LEFT_OUT_AFTER_MS;
		if (isLong && !told?.isTransient) pending.delete(id);
	}

	/**
	 * @param modified when it was modified, as its row has it
	 * @param askedAt when its record was asked for, by the host’s clock (epoch ms)
	 */
	take(
		id: string,
		modified: number | undefined,
		record: IDataObject,
		askedAt: number,
	): PropertyChange | undefined {
		const { known, pending } = this.progress;
		const newest = latest(modified, known.get(id)?.modified);
		const isStale = newest !== undefined && isOlder(record, newest);
		if (isStale && (pending.get(id)?.tries ?? 0) < MOST_STALE) {
			this.pend(id, newest, 1);
			return undefined;
		}
		pending.delete(id);
		const state = stateOf(record);
		this.settleBegun(id, state);
		const before = known.get(id);
		const time = latest(serviceTime(record.modifiedDate), newest);
		const changes = before?.changes ?? 0;
		const after = { ...state, modified: this.settled(time, askedAt), changes };
		const { events: happened, previous } = before
			? changesBetween(before, after)
			: { events: this.firstEvents(record, time), previous: {} };
		const events = this.terms.chosen(happened, after);
		if (events.length > 0) after.changes++;
		if (events.length === 0 || !this.terms.holds) this.know(id, after);
		if (events.length === 0) return undefined;
		return { id, events, previous, before, after, record, time: time ?? this.terms.clock.now() };
	}

	/** If it is not any more as it was when its run began, that run has told what it then was. */
	private settleBegun(id: string, state: PropertyState): void {
		const promised = this.progress.begun.get(id);
		if (promised && changesBetween(promised, state).events.length > 0) this.know(id, promised);
	}

	private know(id: string, property: KnownProperty): void {
		this.progress.known.set(id, property);
		this.progress.begun.delete(id);
	}

	/** Of a property that was not known, nothing is made up about what it was. */
	private firstEvents(record: IDataObject, time = -Infinity): PropertyEvent[] {
		const { start } = this.progress;
		const isWhole = hasBaseline(this.progress);
		const created = latestServiceTime(record.createdDate);
		if (created === undefined ? isWhole : created >= start) return ['created'];
		const isOfLookBack = this.terms.startFrom === 'lookBack' && !isWhole && time >= start;
		return isOfLookBack ? ['updated'] : [];
	}

	/** A time that a further change cannot have; else the property is read again while it is listed. */
	private settled(time: number | undefined, askedAt: number): number | undefined {
		const { clock } = this.terms;
		const marginMs = SETTLED_AFTER_MS + (clock.isKnown ? 0 : CLOCK_DOUBT_MS);
		const isSettled = time !== undefined && time + marginMs < clock.earliestNow(askedAt);
		return isSettled ? time : undefined;
	}
}

export function latest(one: number | undefined, other: number | undefined): number | undefined {
	if (one === undefined || other === undefined) return one ?? other;
	return Math.max(one, other);
}

/** The service may answer for a while with what a property was before. */
function isOlder({ modifiedDate }: IDataObject, time: number): boolean {
	const modified = latestServiceTime(modifiedDate);
	return modified !== undefined && modified < time;
}
