import countBy from 'lodash/countBy';
import memoize from 'lodash/memoize';
import sortedIndexBy from 'lodash/sortedIndexBy';

import { MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { SECOND_MS } from '../basics/times';
import { ServiceError } from '../failure';
import { lateAnswer, WORDS } from '../words';
import type { Departure, Verdict } from './allowance';
import { Allowance } from './allowance';
import type { HttpAnswer } from './answer';
import { header } from './answer';
import type { RetryLimits } from './retry';
import { cancelled, NAP_MS, timeoutWithin } from './retry';
import { parseRetryAfter } from './retryAfter';
import type { SteadyTime } from './steadyTime';
import { ProcessTime } from './steadyTime';
import { Width } from './width';

/** Where in the queue it waits: repeats keep it, and whoever asks for the same again. */
export interface Place {
	/** Unknown until it waits for the first time. */
	number?: number;
	/** How often it was sent from there. */
	tries: number;
	/** Whether its repeats let the first tries of others go first. */
	yields?: boolean;
	/** The last departure of its crew before its own first one: a repeat does not wait for another turn of the crew. */
	after?: number;
	/** Whether it follows a request that has come back: it and its repeats go first, in a jam too. */
	follows?: boolean;
}

/** A request and its repeats, while they wait for their turn. */
export interface Turn {
	/** The service may count the requests of each client by themselves. */
	client: string;
	/** A lane that hangs holds up no other one. */
	lane: string;
	/** Whose request it is: no more of theirs are under way at once than their limits allow. */
	crew: object;
	limits: RetryLimits;
	place: Place;
	/** It waits for its turn until then, in epoch milliseconds. */
	departBy?: number;
	signal: AbortSignal;
	/** How long it was kept back by a busy service, in milliseconds. */
	keptMs: number;
}

interface Waiter {
	turn: Turn;
	place: number;
	since: number;
	go: (departure: Departure) => void;
	fail: (reason: Error) => void;
}

/** Who may go, and when. */
interface Due {
	waiter: Waiter;
	waitMs: number;
	/** How many of its lane are under way: the fewest go first. */
	inLane: number;
	/** The same of its crew: a node with many requests does not hold up the one request of another. */
	inCrew: number;
	/** Whose turn it is; nobody's while the service refuses: whoever had few requests would soon have no tries left. */
	turn: number;
	/** A repeat goes first, but not while the service refuses. */
	rank: number;
	/** After which departure of its crew it comes: the earliest goes first. */
	after: number;
}

/** Answers often come together: a 429 among them is to be heard before the next request departs. */
const LISTENING_MS = 2;

/** To wait for one's turn is not to wait between two tries: so long a wait is no failure, whatever the limits. */
const SHORT_WAIT_MS = 5 * SECOND_MS;

/** Of a turn; the others count from 0. */
const FIRST_OF_ALL = -1;

/** A process that runs for months must not remember every address. */
const MOST_ADDRESSES = 1_000;

/** Nor every client: what it has learned of one is soon learned again. */
const MOST_CLIENTS = 1_000;

/**
 * When each request to one address departs. All executions of this process share what its answers have told: how many
 * go at once is the address's (`Width`), how fast and when at all is each client's (`Allowance`).
 */
export class Pace {
	/** By address, the least recently used first. */
	private static readonly paces = new Map<string, Pace>();

	private readonly width = new Width();

	/** By client, the first one first. */
	private readonly allowances = new Map<string, Allowance>();

	private readonly underWay = new Map<Departure, Turn>();

	/** By place. */
	private waiting: Waiter[] = [];

	private lastPlace = 0;

	private departures = 0;

	/** The number of the last departure of each crew; of a new one, the last before it came. */
	private readonly lastOfCrew = new WeakMap<object, number>();

	private wakesAt = Infinity;

	constructor(private readonly time: SteadyTime = new ProcessTime()) {}

	/** @param address of the service; how it is spelled does not matter */
	static of(address: string): Pace {
		const { paces } = Pace;
		const { href } = new URL(address);
		const pace = paces.get(href) ?? new Pace();
		paces.delete(href);
		paces.set(href, pace);
		for (const [oldest, { isIdle }] of paces) {
			if (paces.size <= MOST_ADDRESSES) break;
			if (isIdle) paces.delete(oldest);
		}
		return pace;
	}

	/** Whether nothing is under way or waits. */
	get isIdle(): boolean {
		return this.underWay.size + this.waiting.length === 0;
	}

	/** How many answers a client has had, other than that the service is busy or cannot answer. */
	answersTo(client: string): number {
		return this.allowances.get(client)?.answers ?? 0;
	}

	/**
	 * Sends once it is the request's turn.
	 *
	 * @throws what `send` throws; ServiceError if the service wants a longer wait than the limits allow, or if the
	 * deadline passes: then it was not sent; the abort reason if it is cancelled
	 */
	async send<Sent extends { answer: HttpAnswer }>(
		turn: Turn,
		send: () => Promise<Sent>,
	): Promise<Sent> {
		const departure = await this.turnOf(turn);
		turn.place.tries++;
		const sent = send();
		void sent.then(
			({ answer }) => this.comeBack(departure, verdictOn(answer), answer),
			(error: unknown) => this.comeBack(departure, isTrouble(error) ? 'trouble' : 'none'),
		);
		return await sent;
	}

	private async turnOf(turn: Turn): Promise<Departure> {
		const settled = new AbortController();
		return await new Promise<Departure>((go, fail) => {
			if (turn.signal.aborted) return fail(cancelled());
			const place = (turn.place.number ??= ++this.lastPlace);
			if (!this.lastOfCrew.has(turn.crew)) this.lastOfCrew.set(turn.crew, this.departures);
			const waiter: Waiter = { turn, place, since: this.time.now(), go, fail };
			const endAt = (signal: AbortSignal, reason: () => Error) => {
				const end = () => this.leave(waiter).fail(reason());
				signal.addEventListener('abort', end, { signal: settled.signal });
			};
			this.waiting.splice(sortedIndexBy(this.waiting, waiter, 'place'), 0, waiter);
			this.dispatch();
			if (!this.waiting.includes(waiter)) return;
			endAt(turn.signal, cancelled);
			const endBy = (deadline = Infinity, reason: () => ServiceError) => {
				if (deadline === Infinity) return;
				endAt(AbortSignal.timeout(timeoutWithin({ deadline }, Infinity)), reason);
			};
			endBy(turn.limits.deadline, () => lateAnswer(NEVER_SENT));
			// For it there is no other turn.
			endBy(turn.departBy, () => lateAnswer(NEVER_SENT).afterTries(0, 0));
		}).finally(() => settled.abort());
	}

	private comeBack(departure: Departure, verdict: Verdict, answer?: HttpAnswer): void {
		this.underWay.delete(departure);
		const retryAfterMs = verdict === 'busy' && answer ? retryAfterOf(answer) : undefined;
		departure.of.comeBack(departure, verdict, this.time.now(), retryAfterMs);
		if (!this.width.isLearning) this.dispatch();
		else if (this.waiting.length > 0) this.wakeIn(LISTENING_MS);
	}

	/** Lets go whoever may go now, and sees to it that the next one is not forgotten. */
	private dispatch(): void {
		for (;;) {
			this.dismiss();
			const next = this.next();
			if (!next) return;
			const { waiter, waitMs } = next;
			if (waitMs > 0) return this.wakeIn(waitMs);
			this.letGo(waiter);
		}
	}

	private letGo(waiter: Waiter): void {
		const departure = this.allowanceOf(waiter).depart(this.time.now(), this.underWay.size);
		this.underWay.set(departure, waiter.turn);
		const { place } = waiter.turn;
		place.after ??= this.lastOf(waiter.turn);
		this.lastOfCrew.set(waiter.turn.crew, ++this.departures);
		this.leave(waiter).go(departure);
	}

	private allowanceOf({ turn: { client } }: Waiter): Allowance {
		const { allowances, width } = this;
		const allowance = allowances.get(client) ?? new Allowance(width);
		allowances.set(client, allowance);
		for (const first of allowances.keys()) {
			if (allowances.size <= MOST_CLIENTS) break;
			allowances.delete(first);
		}
		return allowance;
	}

	private leave(waiter: Waiter): Waiter {
		this.waiting = this.waiting.filter((each) => each !== waiter);
		waiter.turn.keptMs += this.keptMs(waiter);
		return waiter;
	}

	/** Who goes next, and when; nobody if all have to wait for others to come back. */
	private next(): Due | undefined {
		const now = this.time.now();
		const departures = [...this.underWay.keys()];
		const turns = [...this.underWay.values()];
		const inLanes = countBy(turns, 'lane');
		const waitsOf = memoize((allowance: Allowance) => ({
			aloneMs: allowance.waitMs(now, departures, true),
			usualMs: allowance.waitMs(now, departures, false),
		}));
		const due = this.waiting.flatMap((waiter): Due[] => {
			const { lane, crew, place } = waiter.turn;
			const allowance = this.allowanceOf(waiter);
			const { aloneMs, usualMs } = waitsOf(allowance);
			const inLane = inLanes[lane] ?? 0;
			const waitMs = inLane === 0 ? aloneMs : usualMs;
			if (waitMs === Infinity || !this.isAllowed(waiter.turn)) return [];
			const inCrew = this.inCrew(crew);
			const { isJammed, isRefusing } = allowance;
			const after = this.afterWhich(waiter.turn, isJammed);
			const usualTurn = isRefusing ? 0 : after;
			const turn = place.follows ? FIRST_OF_ALL : usualTurn;
			const rank = isRefusing || place.yields ? place.tries : -place.tries;
			return [{ waiter, waitMs, inLane, inCrew, turn, rank, after }];
		});
		// Hundreds may wait: to sort them all at each departure costs more than all else here.
		const first = (one: Due, other: Due) => (isBefore(other, one) ? other : one);
		return due.length > 0 ? due.reduce(first) : undefined;
	}

	/** A place that yields has its crew’s next turn each time; in a jam, when one goes at a time, any has. */
	private afterWhich(turn: Turn, isJammed: boolean): number {
		const { place } = turn;
		return (isJammed || place.yields ? undefined : place.after) ?? this.lastOf(turn);
	}

	private lastOf({ crew }: Turn): number {
		return this.lastOfCrew.get(crew) ?? 0;
	}

	/** How many requests of a crew are under way. */
	private inCrew(crew: object): number {
		return [...this.underWay.values()].filter((turn) => turn.crew === crew).length;
	}

	/**
	 * Those that cannot wait as long as the service wants. The first of them is sent all the same: the wait may
	 * have been meant for one request alone. If it was not, the others are told what that one was told.
	 */
	private dismiss(): void {
		const now = this.time.now();
		for (const waiter of this.waiting) {
			const allowance = this.allowanceOf(waiter);
			const leftMs = allowance.jammedFor(now);
			if (leftMs === 0 || this.canWait(waiter, leftMs)) continue;
			if (allowance.isSure) this.leave(waiter).fail(busy(allowance.isTold ? leftMs : undefined));
			else if (this.mayProbe(waiter)) this.letGo(waiter);
		}
	}

	private mayProbe(waiter: Waiter): boolean {
		const allowance = this.allowanceOf(waiter);
		return this.isAllowed(waiter.turn) && allowance.mayProbe([...this.underWay.keys()]);
	}

	/** Whether the limits of its node allow another request. */
	private isAllowed({ crew, limits }: Turn): boolean {
		return this.inCrew(crew) < (limits.requestsAtOnce ?? MOST_REQUESTS_AT_ONCE);
	}

	private canWait(waiter: Waiter, ms: number): boolean {
		const { limits, keptMs } = waiter.turn;
		const { maxWaitMs, deadline = Infinity } = limits;
		const isInTime = ms <= deadline - Date.now();
		return isInTime && keptMs + this.keptMs(waiter) + ms <= Math.max(maxWaitMs, SHORT_WAIT_MS);
	}

	/** How long the jam has kept it back so far. */
	private keptMs(waiter: Waiter): number {
		const { jammedSince } = this.allowanceOf(waiter);
		return Math.max(0, this.time.now() - Math.max(waiter.since, jammedSince));
	}

	private wakeIn(ms: number): void {
		const napMs = Math.min(ms, NAP_MS);
		const at = this.time.now() + napMs;
		if (at >= this.wakesAt) return;
		this.wakesAt = at;
		void this.time.sleep(napMs).then(() => {
			if (this.wakesAt === at) this.wakesAt = Infinity;
			this.dispatch();
		});
	}
}

function isBefore(one: Due, other: Due): boolean {
	const sooner = one.waitMs - other.waitMs;
	const ofOthers = one.inLane - other.inLane || one.inCrew - other.inCrew;
	const inTurn = one.turn - other.turn || one.rank - other.rank || one.after - other.after;
	return (sooner || ofOthers || inTurn) < 0;
}

function verdictOn({ statusCode }: HttpAnswer): Verdict {
	if (statusCode === 429) return 'busy';
	return statusCode >= 500 ? 'trouble' : 'good';
}

/** Whether the request reached the service, or may have, and brought no answer. */
function isTrouble(error: unknown): boolean {
	if (!(error instanceof ServiceError) || error.kind !== 'unavailable') return false;
	// It came from another request, whose failure made this one needless.
	if (error.isFinal) return false;
	return error.details.requestKind === 'data' && !error.details.isUnsent;
}

/** No wait at all, or a date in the past, does not tell when the service takes more. */
function retryAfterOf(answer: HttpAnswer): number | undefined {
	const waitMs = parseRetryAfter(header(answer, 'retry-after'), header(answer, 'date'));
	return waitMs === 0 ? undefined : waitMs;
}

const NEVER_SENT = { requestKind: 'data', isUnsent: true, hadNoTurn: true } as const;

/** What the service would say. */
function busy(retryAfterMs?: number): ServiceError {
	return new ServiceError('busy', WORDS.busy.messages.data, {
		...NEVER_SENT,
		// The service itself counts in seconds.
		...(retryAfterMs !== undefined && {
			retryAfterMs: Math.ceil(retryAfterMs / SECOND_MS) * SECOND_MS,
		}),
	});
}
