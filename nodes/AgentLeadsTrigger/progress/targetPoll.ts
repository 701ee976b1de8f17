import sortBy from 'lodash/sortBy';

import type { ServiceClock } from '../../../service/basics/clock';
import { ServiceError } from '../../../service/failure';
import type { LeadsReading } from '../../../service/leads/leads';
import { RETENTION_MS } from '../../../service/leads/leads';
import type { TimeWindow } from '../../../service/leads/windows';
import { CLOCK_DOUBT_MS } from '../../common/polling/start';
import type { DeliveredLeads } from './deliveredLeads';
import type { StartFrom } from './startFrom';
import { startTime } from './startFrom';
import type { Target } from './target';
import { titleOf } from './target';
import type { FreshLead, TargetProgress } from './targetProgress';
import {
	baselineWindow,
	CAUGHT_UP_MS,
	missedSpan,
	nextWindow,
	notAhead,
	startProgress,
	takeBaseline,
	takeIn,
	withoutMissed,
} from './targetProgress';

/** Fewer leads from outside of the window may be late ones. */
const MANY_STRAYS = 5;

/** What the targets of one poll share. */
export interface PollTerms {
	clock: ServiceClock;
	/** When the poll began, by the host's clock, in epoch milliseconds. */
	startedAt: number;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	/** Tells the credential's client; see `clientMark`. */
	client: string;
	startFrom: StartFrom;
	lookBackMs: number;
	/** Tells which leads were delivered, or are about to be. */
	delivered: Pick<DeliveredLeads, 'claim' | 'completeFrom'>;
}

/** What earlier failures of a target lead to. */
interface Aftermath {
	/** Whether the service has asked to be left alone for longer. */
	isWaiting?: boolean;
	/** How long a window may be, if a longer one failed. */
	longestMs?: number;
}

/** How a target comes into a poll. */
type Beginning =
	/** It goes on from its progress. */
	| 'known'
	/** It goes on from its progress, with another client than before. */
	| 'otherClient'
	/** This poll chooses its start. */
	| 'new'
	/** This poll chooses its start; the leads from before become known and are not delivered. */
	| 'baseline';

/** What the answers for a target came to in this poll: the first may be put aside once. */
type Answered = 'not yet' | 'put aside' | 'taken';

/** Why a target has nothing more to ask for in this poll. */
type End = 'waiting' | 'done' | ServiceError;

/** What an answer brought. */
export interface Findings {
	/** The leads that are to be delivered, oldest first. */
	leads: FreshLead[];
	/** What is missing before the first of them. */
	gap?: TimeWindow;
	/** What the service no longer keeps, if this answer is the first to show it. */
	missed?: TimeWindow;
	/** How many leads are from outside of the window, if they are too many to be late ones. */
	strays?: number;
}

/**
 * One target in one poll. Ask the service for what `dueWindow` says and hand its answer to `take`, or its
 * failure to `fail`, until there is no window left. `progress` is always fit to be stored.
 */
export class TargetPoll {
	progress: TargetProgress;

	private readonly beginning: Beginning;

	private answered: Answered = 'not yet';

	private end?: End;

	readonly isWaiting: boolean;

	/** How long a window was asked for in vain, if that may have been too long. */
	triedMs?: number;

	private readonly longestMs?: number;

	/** @param known how far the polls before this one came */
	constructor(
		readonly target: Target,
		private readonly terms: PollTerms,
		known?: TargetProgress,
		{ isWaiting = false, longestMs }: Aftermath = {},
	) {
		const { client, startFrom, isActivation } = terms;
		const isFromNow = startFrom === 'activation';
		this.isWaiting = isWaiting;
		this.longestMs = longestMs;
		if (isWaiting) this.end = 'waiting';
		if (known?.client === client) {
			this.beginning = 'known';
			this.progress = known;
		} else if (known && isFromNow) {
			// It may be a new pair for the same agency: what its old one has not seen is still to come.
			this.beginning = 'otherClient';
			this.progress = { ...known, client };
		} else {
			// Leads that the client before was given are not given again, as far as they are known.
			this.beginning = isFromNow && isActivation ? 'baseline' : 'new';
			this.progress = this.begunWith(known?.seen);
		}
	}

	get key(): string {
		return this.target.key;
	}

	get title(): string {
		return titleOf(this.target);
	}

	/** Whether it begins with this poll, or was another client's until now. */
	get isNew(): boolean {
		return this.beginning !== 'known';
	}

	/** Whether the service has answered for it in this poll. */
	get isAnswered(): boolean {
		return this.answered === 'taken';
	}

	get failure(): ServiceError | undefined {
		return this.end instanceof ServiceError ? this.end : undefined;
	}

	/** What to ask for now; undefined if nothing is left to ask for in this poll. */
	dueWindow(): TimeWindow | undefined {
		if (this.end) return undefined;
		return this.beginning === 'baseline' ? this.baselineWindow() : this.nextWindow();
	}

	/** @param window what the service was asked for */
	take(window: TimeWindow, reading: LeadsReading): Findings {
		if (this.wasMisled(window)) return { leads: [] };
		this.answered = 'taken';
		if (this.beginning !== 'baseline') return this.takeIn(window, reading);
		this.takeBaseline(window, reading);
		return { leads: [] };
	}

	/**
	 * If the address has worked before, a web page in place of data is a proxy's and will pass.
	 *
	 * @param window what the service was asked for
	 * @returns the failure as it counts for this target
	 */
	fail(failure: ServiceError, window: TimeWindow): ServiceError {
		if (failure.kind === 'unavailable') this.triedMs = window.to - this.progress.watermark;
		const isPassing = failure.kind === 'foreign' && !this.isNew;
		this.end = isPassing ? failure.asPassing : failure;
		return this.end;
	}

	/** No token can be had: a target that still needs one fails as well, and waits for as long. */
	failWithOthers(failure: ServiceError): void {
		if (!this.isAnswered) this.end ??= failure;
	}

	/** n8n has not stored the last poll yet: only what begins with this one is asked for. */
	leaveToNextPoll(): void {
		if (this.beginning !== 'baseline') this.end = 'done';
	}

	/** Even a 429 has a Date: puts right a start that was guessed by the host's clock. */
	correctStart(): void {
		if (this.isBegun && !this.isAnswered) this.beginUnanswered();
	}

	/** Whether this poll has chosen its start. */
	private get isBegun(): boolean {
		return this.beginning === 'new' || this.beginning === 'baseline';
	}

	private begunWith(seen: TargetProgress['seen'] = new Map()): TargetProgress {
		return { ...startProgress(this.terms.client, this.start()), seen };
	}

	/** How far the service's time may be from what the clock says, in milliseconds. */
	private get doubtMs(): number {
		return this.terms.clock.isKnown ? 0 : CLOCK_DOUBT_MS;
	}

	private start(doubtMs = this.doubtMs): number {
		const { clock, startedAt } = this.terms;
		return startTime({ ...this.terms, now: clock.told(startedAt), doubtMs });
	}

	private baselineWindow(): TimeWindow {
		// The first answer tells whether the clock can be trusted.
		const start = this.terms.clock.hasAnswered ? this.start() : this.start(0);
		return baselineWindow(start, this.terms.lookBackMs);
	}

	/** Up to the start of the poll: a slow service would never be caught up with otherwise. */
	private nextWindow(): TimeWindow | undefined {
		const { clock, startedAt, lookBackMs } = this.terms;
		const earliest = clock.earliestNow(startedAt);
		const latest = clock.now(startedAt);
		// The host's clock may have gone back. If the next answer will tell the time, the watermark waits for it.
		const willTell = !this.isAnswered && (clock.isKnown || !clock.hasAnswered);
		if (!willTell) this.progress = this.notAhead(this.progress, latest);
		const upTo = willTell ? Math.max(latest, this.progress.watermark) : latest;
		const time = { earliest, latest: upTo };
		return nextWindow(this.progress, time, lookBackMs, !this.isAnswered, this.longestMs);
	}

	private notAhead(progress: TargetProgress, now: number): TargetProgress {
		const { clock, delivered } = this.terms;
		const { completeFrom } = delivered;
		return notAhead(progress, { now, isTold: clock.isKnown, completeFrom });
	}

	private takeBaseline(window: TimeWindow, { leads }: LeadsReading): void {
		const { clock, lookBackMs } = this.terms;
		const start = this.start();
		if (window.to - start > CAUGHT_UP_MS) {
			// Two answers contradict each other: the service was asked for its future.
			this.beginUnanswered();
			this.end = 'done';
			return;
		}
		this.progress = takeBaseline(this.progress, window, leads, {
			start,
			now: clock.now() + this.doubtMs,
			lookBackMs,
		});
		// The host's clock may have been behind.
		this.end = start - window.to <= CAUGHT_UP_MS ? 'done' : undefined;
	}

	/**
	 * Of the time before the start nothing is known yet, and its clock may be put right before the next
	 * poll: the earlier one says where the target begins, since a lead too many is better than one too few.
	 */
	private beginUnanswered(): void {
		const { client, clock, startedAt } = this.terms;
		const aheadMs = Math.max(0, clock.told(startedAt) - startedAt);
		const { seen } = this.progress;
		this.progress = { ...startProgress(client, this.start() - aheadMs), seen };
	}

	private takeIn(window: TimeWindow, reading: LeadsReading): Findings {
		const { clock, lookBackMs } = this.terms;
		const { leads, askedAt } = reading;
		const missed = this.newlyMissed();
		const before = missed ? { ...this.progress, missed } : this.progress;
		const taken = takeIn(before, window, leads, lookBackMs, askedAt);
		const { progress, fresh, strays } = taken;
		// A watermark short of the window's end is where the service's own time ends.
		const isDone = progress.watermark < window.to || progress.watermark <= before.watermark;
		this.end = isDone ? 'done' : undefined;
		this.progress = clock.isKnown ? this.notAhead(progress, clock.now()) : progress;
		const isMany = strays >= MANY_STRAYS && strays * 2 >= leads.length;
		return {
			...this.deliver(fresh),
			...(missed && { missed }),
			...(isMany && { strays }),
		};
	}

	private newlyMissed(): TimeWindow | undefined {
		if (this.progress.missed) return undefined;
		return missedSpan(this.progress, this.terms.clock.earliestNow());
	}

	/** A lead that two filter ids share is delivered once, whichever of them brings it, and when. */
	private deliver(fresh: FreshLead[]): Findings {
		const { clock, delivered } = this.terms;
		const { leadType } = this.target;
		const now = clock.now();
		const leads = sortBy(fresh, 'time').filter(({ key }) => delivered.claim(leadType, key, now));
		const { missed: gap } = this.progress;
		if (leads.length === 0 || !gap) return { leads };
		this.progress = withoutMissed(this.progress);
		return { leads, gap };
	}

	/**
	 * Whether the first answer shows that a wrong clock chose the window: then it is put aside, and
	 * the service is asked again by its own clock.
	 */
	private wasMisled(window: TimeWindow): boolean {
		if (this.answered !== 'not yet') return false;
		const isMisled =
			this.beginning === 'baseline'
				? window.to - this.start() > CAUGHT_UP_MS
				: this.beganAhead() || this.isCutShort(window);
		if (isMisled) this.answered = 'put aside';
		return isMisled;
	}

	/** Puts right a start that the host's clock put into the service's future. */
	private beganAhead(): boolean {
		const { since, seenFrom, seen, watermark } = this.progress;
		if (since === undefined || seenFrom !== undefined) return false;
		const latest = this.isNew ? this.start() : this.terms.clock.told();
		if (watermark - latest <= CAUGHT_UP_MS) return false;
		// If an earlier poll chose it, and failed, what came since then is still to be delivered.
		const chosen = this.isBegun ? Infinity : this.terms.clock.told(watermark);
		const start = Math.min(this.start(), chosen);
		this.progress = { ...startProgress(this.terms.client, start), seen };
		return true;
	}

	/** Whether the window began too late, because a wrong clock took leads for too old that the service still keeps. */
	private isCutShort({ from }: TimeWindow): boolean {
		const keptFrom = this.terms.clock.earliestNow() - RETENTION_MS;
		return from > this.progress.watermark && from - keptFrom > CAUGHT_UP_MS;
	}
}
