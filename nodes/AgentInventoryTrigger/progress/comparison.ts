import type { IDataObject } from 'n8n-workflow';

import type { ServiceClock } from '../../../service/basics/clock';
import {
	DAY_MS,
	HOUR_MS,
	latestServiceTime,
	SECOND_MS,
	serviceTime,
} from '../../../service/basics/times';
import { textOf } from '../../../service/basics/values';
import type { ServiceError } from '../../../service/failure';
import { propertyIdOf } from '../../../service/inventory/records';
import { CLOCK_DOUBT_MS } from '../../common/polling/host';
import type { AgencyProgress } from './agencyProgress';
import { hasBaseline } from './agencyProgress';
import type { KnownProperty } from './knownProperties';
import type { PreviousValues, PropertyEvent, PropertyState } from './propertyState';
import { changesBetween, stateOf } from './propertyState';
import type { StartFrom } from './start';

/** What was modified so shortly before it was read may be modified once more without another time. */
const SETTLED_AFTER_MS = 15 * SECOND_MS;

/** A record that cannot be read, or is older than its row says, is left at that after so many polls, and not before this time. */
const MOST_TRIES = 10;
const LEFT_AFTER_MS = HOUR_MS;

/** So far ahead a time may be because it is that of another place. */
const MOST_AHEAD_MS = DAY_MS;

/** What has happened to a property. */
export interface PropertyChange {
	id: string;
	/** Those that the person has chosen, the most important one first. */
	events: PropertyEvent[];
	previous: PreviousValues;
	/** Unset for a new one. */
	before?: KnownProperty;
	after: KnownProperty;
	/**
	 * What a process that was killed has begun a run for, if the property is another one by now: nobody knows whether n8n has
	 * that run, and the key of this change is the same.
	 */
	promised?: KnownProperty;
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
	isKnownAt(id: string, time: number | undefined): boolean {
		const { modified, isFresh = true } = this.progress.known.get(id) ?? {};
		return !isFresh && time !== undefined && modified !== undefined && time <= modified;
	}

	/** Its record is to be read in a later poll. What was modified since it was tried is tried as if for the first time. */
	pend(id: string, modified: number | undefined, tries = 0): void {
		const { pending } = this.progress;
		const known = pending.get(id);
		const isTried = known && (modified ?? -Infinity) <= (known.modified ?? -Infinity);
		const isEarly = this.isEarly(id);
		pending.set(id, {
			since: known?.since ?? this.terms.clock.now(),
			tries: (isTried ? known.tries : 0) + tries,
			modified: latest(modified, known?.modified),
			...(isEarly && { isEarly }),
		});
	}

	/**
	 * Its record could not be had: it is read again, unless that has not helped for a long time.
	 *
	 * @returns whether it is left at that
	 */
	miss(id: string, modified: number | undefined, told?: ServiceError): boolean {
		this.pend(id, modified, 1);
		const { pending } = this.progress;
		const { tries = 0, since = 0 } = pending.get(id) ?? {};
		const isLong = tries >= MOST_TRIES && this.terms.clock.now() - since >= LEFT_AFTER_MS;
		const isLeft = isLong && !told?.isTransient;
		if (isLeft) pending.delete(id);
		return isLeft;
	}

	/**
	 * The service may tell for a while what a property was. Nothing is said of a record that is older than what is known; one that
	 * is older than its row counts, and is read once more. What the service tells for a long time is so: its clock may
	 * have been put right.
	 *
	 * @param listed when it was modified, as its row has it
	 * @param askedAt when its record was asked for, by the host’s clock (epoch ms)
	 */
	take(
		id: string,
		listed: number | undefined,
		record: IDataObject,
		askedAt: number,
	): PropertyChange | undefined {
		const { known, pending } = this.progress;
		// Of which property that is nobody knows.
		if (propertyIdOf(record).toLowerCase() !== id.toLowerCase()) return void this.miss(id, listed);
		const own = serviceTime(record.modifiedDate);
		const ownLatest = latestTimeOf(record) ?? Infinity;
		const isOlder = ownLatest < (listed ?? -Infinity);
		const isOutdated = ownLatest < (known.get(id)?.modified ?? -Infinity);
		const isDoubtful = isOlder || isOutdated;
		const isEarly = this.isEarly(id);
		const isLeft = isDoubtful && this.miss(id, listed);
		if (!isDoubtful) pending.delete(id);
		if (isOutdated && !isLeft) return undefined;
		const modified = isOlder ? own : latest(own, listed);
		const isFresh = this.isFresh(modified, askedAt);
		return this.compare(id, record, { modified, isFresh }, isEarly);
	}

	private compare(
		id: string,
		record: IDataObject,
		time: Pick<KnownProperty, 'modified' | 'isFresh'>,
		isEarly: boolean,
	): PropertyChange | undefined {
		const state = stateOf(record);
		const promised = this.promisedOf(id, state);
		const before = this.progress.known.get(id);
		const after = { ...state, ...time, changes: before?.changes ?? 0 };
		const { events: happened, previous } = before
			? changesBetween(before, after)
			: { events: this.firstEvents(record, isEarly, time.modified), previous: {} };
		const events = this.terms.chosen(happened, after);
		if (promised && events.length === 0) {
			// It is again as it was: if the run was begun, it has told of something else.
			this.know(id, promised);
			return this.compare(id, record, time, isEarly);
		}
		if (events.length > 0) after.changes++;
		if (events.length === 0 || !this.terms.holds) this.know(id, after);
		if (events.length === 0) return undefined;
		const { modified = this.terms.clock.now() } = time;
		return { id, events, previous, before, after, promised, record, time: modified };
	}

	/** What its run was begun for, if it is not so any more. */
	private promisedOf(id: string, state: PropertyState): KnownProperty | undefined {
		const promised = this.progress.begun.get(id);
		return promised && changesBetween(promised, state).events.length > 0 ? promised : undefined;
	}

	private know(id: string, property: KnownProperty): void {
		this.progress.known.set(id, property);
		this.progress.begun.delete(id);
	}

	/** Of a property that was not known, nothing is made up about what it was. */
	private firstEvents(record: IDataObject, isEarly: boolean, time = -Infinity): PropertyEvent[] {
		const { start } = this.progress;
		const told = latestServiceTime(record.createdDate) ?? Infinity;
		// Nothing was created days from now.
		const created = told > this.terms.clock.now() + MOST_AHEAD_MS ? undefined : told;
		if (created === undefined ? !isEarly : created >= start) return ['created'];
		const isOfLookBack = this.terms.startFrom === 'lookBack' && isEarly && time >= start;
		return isOfLookBack ? ['updated'] : [];
	}

	/** Whether it was to be read before it was known what each property was at the start. */
	private isEarly(id: string): boolean {
		const waiting = this.progress.pending.get(id);
		return waiting ? waiting.isEarly === true : !hasBaseline(this.progress);
	}

	/** Whether a further change may have the same time. */
	private isFresh(time: number | undefined, askedAt: number): boolean {
		const { clock } = this.terms;
		const marginMs = SETTLED_AFTER_MS + (clock.isKnown ? 0 : CLOCK_DOUBT_MS);
		return time === undefined || time + marginMs >= clock.earliestNow(askedAt);
	}
}

export function latest(one: number | undefined, other: number | undefined): number | undefined {
	if (one === undefined || other === undefined) return one ?? other;
	return Math.max(one, other);
}

/**
 * The last moment that the time of a record may mean: with a fraction of a second it is exact. One that says `null` was
 * never modified, and is as it was created.
 */
function latestTimeOf({ modifiedDate, createdDate }: IDataObject): number | undefined {
	const time = modifiedDate === null ? createdDate : modifiedDate;
	const isExact = /:\d\d\.\d/.test(textOf(time));
	return isExact ? serviceTime(time) : latestServiceTime(time);
}
