import memoize from 'lodash/memoize';
import pull from 'lodash/pull';
import { sleep } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { mayBeTaken, orFailure, ServiceError } from '../failure';
import type { HttpAnswer } from './answer';
import { isBusy, retryAfterOf } from './answer';
import { orEnded } from './ending';
import type { RetryLimits } from './retry';
import { backoffMs, NAP_MS } from './retry';

/** How many requests may be under way at first, before the service has shown that it can handle more. */
const FIRST_WIDTH = 4;

/** The pause after a first 429, in milliseconds. It is short, because a single 429 may be an exception. */
const WHIM_MS = 25;

/** The longest time for which no request is sent after a 429, even if the service asked for a longer wait. */
const LONGEST_CLOSED_MS = MINUTE_MS;

/**
 * The longest gap that is kept between two requests after 429 answers, and how long after the last 429 a gap is kept.
 */
const LONGEST_GAP_MS = 5 * SECOND_MS;
const GAP_KEPT_MS = 30 * SECOND_MS;

/**
 * The gap between requests is longer than the service's limit requires by this factor, because requests do not arrive
 * as evenly as they are sent.
 */
const GAP_MARGIN = 1.05;

/** A request in the queue: who sends it, and how long it may wait. */
export interface Turn {
	/** The execution or poll that sends the request. */
	owner: object;
	limits: RetryLimits;
	/** A signal that is aborted when the answer is no longer needed, or when it is too late for an answer. */
	signal: AbortSignal;
}

interface Waiting {
	turn: Turn;
	go: (sent: Sent) => void;
}

/** A request that is under way. */
interface Sent {
	owner: object;
	/** When the request was sent, as a value of `performance.now()`. */
	at: number;
}

/**
 * Decides when the requests of one client ID to one API are sent. The first request in the queue goes first. All
 * executions of this process share what the service's answers have shown: how many requests may be under way at the
 * same time, how large the gaps between them have to be, and for how long the service asked for a pause. Times are in
 * milliseconds, as values of `performance.now()`.
 */
export class Throttle {
	/** How many requests may be under way at the same time. */
	private width = FIRST_WIDTH;

	/**
	 * Below this width, each accepted request adds 1 to the width, so that a fast service is used quickly. From this
	 * width on, it takes as many accepted requests as the width to add 1. TCP has the same rule (RFC 5681 §3.1).
	 */
	private slowFrom = MOST_REQUESTS_AT_ONCE;

	private gapMs = 0;

	private openAt = -Infinity;

	private lastSentAt = -Infinity;

	/** The number of 429 answers since the service last accepted a request that was sent after a 429. */
	private refusals = 0;

	/** How many of the 429 answers in `refusals` were to requests that were sent after the previous 429. */
	private rounds = 0;

	private refusedAt = -Infinity;

	/** The times at which recently accepted requests were sent, as values of `performance.now()`. */
	private accepted: number[] = [];

	private isAsleep = false;

	private readonly underWay: Sent[] = [];

	private readonly queue: Waiting[] = [];

	/** Returns the throttle of one client ID at one address. */
	static readonly of = memoize<(fingerprint: string) => Throttle>(() => new Throttle());

	/**
	 * Waits until the request may be sent, and sends it.
	 *
	 * @throws what `send` throws; ServiceError with `isUnsent` if the deadline passes in the queue; the abort reason if
	 * the execution is cancelled
	 */
	async run(turn: Turn, send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
		const sent = await this.waitFor(turn);
		try {
			const outcome = await orFailure(send());
			if (outcome instanceof ServiceError) {
				// The service may have received a request although no answer came. It may be overloaded, so fewer
				// requests may be under way from now on.
				if (mayBeTaken(outcome)) this.narrow();
				throw outcome;
			}
			this.noteAnswer(sent, outcome);
			return outcome;
		} finally {
			pull(this.underWay, sent);
			this.drain();
		}
	}

	private async waitFor(turn: Turn): Promise<Sent> {
		const work = async (ended: AbortSignal) =>
			await new Promise<Sent>((go) => {
				const waiting: Waiting = { turn, go };
				ended.addEventListener('abort', () => pull(this.queue, waiting), { once: true });
				this.queue.push(waiting);
				this.drain();
			});
		const late = () => ({ requestKind: 'data', isUnsent: true, tries: 0 }) as const;
		return await orEnded(work, turn.signal, late);
	}

	/** Sends as many waiting requests as the service can handle, and sets a timer for the next one. */
	private drain(): void {
		while (this.underWay.length < Math.floor(this.width)) {
			const next = this.queue.find(({ turn }) => this.hasRoomFor(turn));
			if (!next) return;
			const waitMs = Math.max(this.openAt, this.lastSentAt + this.gapMs) - performance.now();
			if (waitMs > 0) return this.wakeIn(waitMs);
			pull(this.queue, next);
			const sent = { owner: next.turn.owner, at: performance.now() };
			this.underWay.push(sent);
			this.lastSentAt = sent.at;
			next.go(sent);
		}
	}

	/** True if the option “Requests at Once” of the node that sends the request allows another one. */
	private hasRoomFor({ owner, limits }: Turn): boolean {
		const own = this.underWay.filter((sent) => sent.owner === owner);
		return own.length < (limits.requestsAtOnce ?? MOST_REQUESTS_AT_ONCE);
	}

	private noteAnswer(sent: Sent, answer: HttpAnswer): void {
		if (isBusy(answer)) this.noteRefusal(sent, retryAfterOf(answer));
		else if (answer.statusCode >= 500) this.narrow();
		else this.noteAcceptance(sent);
	}

	private noteAcceptance({ at }: Sent): void {
		if (at > this.refusedAt) this.refusals = this.rounds = 0;
		this.accepted = [...this.acceptedBefore(at), at];
		const step = this.width < this.slowFrom ? 1 : 1 / this.width;
		this.width = Math.min(MOST_REQUESTS_AT_ONCE, this.width + step);
		if (performance.now() - this.refusedAt > GAP_KEPT_MS) this.gapMs = 0;
	}

	/**
	 * Adapts the pace to a 429. A single 429 may be an exception. A second one, before the service accepts another
	 * request, shows that the service has a limit: from then on, no more requests are sent in one second than the
	 * service accepted in the second before the refused request. If the service refuses a request that was sent at that
	 * pace, the gap between requests doubles.
	 */
	private noteRefusal({ at }: Sent, retryAfterMs?: number): void {
		const isAnotherRound = at > this.refusedAt;
		this.refusals++;
		if (isAnotherRound) this.rounds++;
		if (this.refusals === 2 || (this.refusals > 2 && isAnotherRound)) {
			const learnedMs = (SECOND_MS * GAP_MARGIN) / (this.acceptedBefore(at).length || 1);
			this.gapMs = Math.min(LONGEST_GAP_MS, Math.max(2 * this.gapMs, learnedMs));
			this.narrow();
		}
		this.refusedAt = performance.now();
		const usualMs = this.refusals === 1 ? WHIM_MS : backoffMs(this.rounds);
		const closedMs = Math.min(LONGEST_CLOSED_MS, retryAfterMs || usualMs);
		this.openAt = Math.max(this.openAt, this.refusedAt + closedMs);
	}

	private acceptedBefore(at: number): number[] {
		return this.accepted.filter((each) => each > at - SECOND_MS);
	}

	private narrow(): void {
		this.width = this.slowFrom = Math.max(1, this.width / 2);
	}

	/**
	 * Looks at the queue again after the given time, or after a second if that is earlier. n8n's `sleep` cannot be
	 * cancelled, so a longer timer would delay the end of a process that is shutting down.
	 */
	private wakeIn(ms: number): void {
		if (this.isAsleep) return;
		this.isAsleep = true;
		void sleep(Math.ceil(Math.min(ms, NAP_MS))).then(() => {
			this.isAsleep = false;
			this.drain();
		});
	}
}
