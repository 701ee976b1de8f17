import partition from 'lodash/partition';

import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { isAnswerLate, orFailure, ServiceError } from '../failure';
import type { Place } from '../http/pace';
import { NAP_MS, pause } from '../http/retry';
import type { Bounds } from '../session';
import type { Activation } from './activation';
import { activationId, isCurrent, isFailed, resultOf } from './activation';
import type { Attempt, Tried } from './attempt';
import {
	evidenceOf,
	hasMade,
	isHidden,
	isMissing,
	isPerhapsTaken,
	isSentByOther,
	mayBeTakenAt,
	mayHaveMade,
	TIME,
	untilShownMs,
} from './attempt';
import type { Already, RegisterEntry } from './codes';
import { registerEntry, statusEntry, unlistedEntry } from './codes';
import type { OrderAnswer } from './orderAnswer';
import { mayBeOrdered, readOrderAnswer } from './orderAnswer';
import {
	anotherSent,
	creditNote,
	heldUp,
	leadsNowhere,
	notAnswered,
	notChecked,
	notShown,
	othersTakeLong,
	perhapsFailed,
	sentByOther,
	stoppedInDoubt,
	unclearListing,
} from './orderFailures';
import type { Evidence, Found } from './ownership';
import {
	claimed,
	currentIn,
	isOwnNow,
	madeIn,
	mayBeOfListing,
	mayBeOwn,
	namesListing,
	sortByListing,
	traceOf,
} from './ownership';
import type { Listing, Order, Products } from './products';
import { behindOthers } from './sameListing';

/** What the service has of a listing, and all that it has shown. */
interface Look {
	own: Activation[];
	all: Activation[];
}

/** What an order came to: an activation, or one that the service speaks of and does not show. */
export type OrderResult = Found | { already: Already };

/**
 * How long the node waits before it looks for an order that nobody has heard of: the service may still
 * be at work on it, and its list may show it a little later. A look that is too early shows nothing, and the order
 * is paid for again.
 */
const SHOWN_AFTER_MS = 5 * SECOND_MS;

/** The same after a POST that was cancelled under way, or not answered in time: the service may take it later. */
const UNHEARD_MS = 30 * SECOND_MS;

/** For so long a look tells what the listing has: somebody else may order as well. */
const FRESH_MS = 30 * SECOND_MS;

/** For so long it waits for another run that orders the same listing. */
const LONGEST_LINE_MS = 2 * MINUTE_MS;

/**
 * Makes one activation, once. A POST spends the agency's money and has no idempotency key: what the
 * listing has is looked at before the first one, since nobody says that the service refuses an order
 * while an activation is only planned. It is sent again only if the service certainly did not take
 * it. If that is not certain, the service is asked again what it has of the listing.
 */
export class CarefulOrder {
	/** When the last look before a POST left, in milliseconds of the process’s time: its answer may be older than it comes. */
	private lookedAt?: number;

	/** Whether nobody could tell what became of a POST when that was last asked. */
	private isUnknown = false;

	/** Whether the service certainly did not take the last POST. */
	private isRefused = false;

	/** Whether a POST has left, and nobody has heard of it yet. */
	private isUnderWay = false;

	/** Other orders of this run that may be of the same listing, and that the service has or may have taken. */
	private others: Tried[] = [];

	/** Of such orders, those whose own looks have shown nothing so far. */
	private missing: Tried[] = [];

	/** Its POSTs wait for their turn as the tries of one request. */
	private readonly place: Place = { tries: 0 };

	constructor(
		readonly products: Products,
		private readonly order: Order,
		readonly attempt: Attempt,
	) {}

	get listing(): Listing {
		return this.order.listing;
	}

	/** “Premium listing for listing 123”. */
	get name(): string {
		return this.products.nameOf(this.listing);
	}

	/** Whether a POST of it has left, in this execution. */
	get isSent(): boolean {
		return this.attempt.isSent ?? false;
	}

	/** When its first POST was sent that the service has or may have taken, by the process’s time. */
	get mayBeTakenAt(): number | undefined {
		return mayBeTakenAt(this.attempt);
	}

	/** What it has made, if that is known. */
	get made(): Activation | undefined {
		return this.attempt.made;
	}

	/** Whether this run surely has paid nothing for its listing. */
	get isUnpaid(): boolean {
		const isAlone = this.others.length === 0 && this.missing.length === 0;
		return !this.isSent && this.mayBeTakenAt === undefined && isAlone;
	}

	/** Has it wait until the service can show what these orders have made, and look: they may be for the same listing. */
	heed(others: Tried[]): void {
		const open = others.filter(
			({ attempt }) => attempt !== this.attempt && isPerhapsTaken(attempt),
		);
		[this.missing, this.others] = partition(open, ({ attempt }) => isMissing(attempt));
	}

	/** What an order by the listing's other ID has found there, if its own POST in doubt has made that. */
	claim(result: OrderResult, finder: CarefulOrder): Activation | undefined {
		if (!('existing' in result) || !this.isSent) return undefined;
		const { session } = finder.products;
		const isOthersLook = isSentByOther(this.attempt, session.clientId);
		const found = claimed(result.existing, { ...this.evidence, isOthersLook }, session);
		if ('existing' in found) return undefined;
		return (this.attempt.made = found.own);
	}

	/**
	 * @returns the activation as it stands now, pending as a rule
	 * @throws ServiceError when there is none, or when that cannot be known; an error of n8n itself as it is, if no
	 * order is in doubt
	 */
	async make(): Promise<OrderResult> {
		const { made } = this.attempt;
		if (made) return { own: made };
		return await this.makeInTurn().catch((error: unknown) => {
			throw this.withDoubt(error);
		});
	}

	private async makeInTurn(): Promise<OrderResult> {
		const { othersAreOver, leave } = behindOthers(this.products.lineFor(this.listing));
		try {
			const tried = await orFailure(
				this.products.session.retry(async () => {
					if (othersAreOver) await this.standInLine(othersAreOver);
					return (await this.earlierResult()) ?? (await this.send());
				}),
			);
			const result = tried instanceof ServiceError ? await this.afterLastTry(tried) : tried;
			if ('own' in result) this.attempt.made = result.own;
			return result;
		} finally {
			void this.whenShown().then(leave);
		}
	}

	/** @throws ServiceError if another run takes too long; the abort reason when the execution is cancelled */
	private async standInLine(othersAreOver: Promise<unknown>): Promise<void> {
		let isOver = false;
		const over = othersAreOver.then(() => (isOver = true));
		for (let leftMs = LONGEST_LINE_MS; !isOver; leftMs -= NAP_MS) {
			if (leftMs <= 0) throw othersTakeLong(this.attempt);
			await Promise.race([over, this.products.session.pause(NAP_MS)]);
		}
	}

	/** Another order for the listing that looked earlier might not see this one, of a cancelled execution above all. */
	private async whenShown(): Promise<void> {
		await pause(this.isUnderWay ? UNHEARD_MS : untilShownMs([this.attempt]));
	}

	/** What earlier tries have made without hearing of it, or what was there before them. */
	private async earlierResult(): Promise<OrderResult | undefined> {
		const isInDoubt = this.attempt.sentAt !== undefined;
		return isInDoubt ? await this.lookForSent() : await this.lookFirst();
	}

	/** What the listing has before anything is ordered for it. */
	private async lookFirst(): Promise<Found | undefined> {
		if (this.isFresh) return undefined;
		if (this.others.length > 0)
			await this.products.session.pause(untilShownMs(attemptsOf(this.others)));
		const seen = await orFailure(this.lookInPlace());
		if (seen instanceof ServiceError) throw this.notLooked(seen);
		const { own, all } = seen;
		this.noteSeen(all);
		const found = this.madeByOther(own) ?? currentIn(own, this.evidence, this.products.session);
		if (!found) this.faceOthers(own);
		return found;
	}

	/** The look before the first POST failed. */
	private notLooked(error: ServiceError): ServiceError {
		if (this.others.length > 0) return this.unknown(notAnswered(error));
		return this.isSent ? error : notChecked(error);
	}

	/** What another order of this run has made for the same listing. */
	private madeByOther(seen: Activation[]): Found | undefined {
		const own = seen.find((activation) => this.isOfOthers(activation));
		return own && { own };
	}

	private isOfOthers(activation: Activation): boolean {
		return this.others.some((other) => hasMade(other, activation, this.products.session));
	}

	private mayBeOfOthers(activation: Activation): boolean {
		return this.others.some((other) => mayHaveMade(other, activation, this.products.session));
	}

	/** One that a missing order may have made too, if its time fits: all that failed within an hour would be too much. */
	private isPerhapsOfOthers(activation: Activation): boolean {
		const { session } = this.products;
		const isOfMissing = this.missing.some((other) => hasMade(other, activation, session));
		return isOfMissing || this.mayBeOfOthers(activation);
	}

	/** @throws ServiceError if another order of this run may have been for the listing, and nothing surely tells */
	private faceOthers(seen: Activation[]): void {
		const { clientId } = this.products.session;
		if (this.others.some(({ attempt }) => isHidden(attempt, clientId))) {
			throw this.unknown(anotherSent());
		}
		if (seen.some((activation) => isFailed(activation) && this.isPerhapsOfOthers(activation))) {
			throw this.unknown(perhapsFailed());
		}
	}

	/** A look whose turn the POST has once more: it does not wait for others. */
	private async lookInPlace(): Promise<Look> {
		let leftAt = TIME.now();
		const seen = await this.lookAtAll({ departs: () => (leftAt = TIME.now()) });
		this.place.follows = true;
		this.lookedAt = leftAt;
		this.isUnknown = false;
		return seen;
	}

	/** Whether the last look is not too old for a POST. */
	private get isFresh(): boolean {
		return this.lookedAt !== undefined && TIME.now() - this.lookedAt <= FRESH_MS;
	}

	/** What a POST has made whose answer did not come. */
	private async lookForSent(): Promise<Found | undefined> {
		const { session } = this.products;
		await session.pause(untilShownMs([this.attempt, ...attemptsOf(this.others)]));
		const seen = await orFailure(this.lookInPlace());
		if (seen instanceof ServiceError) throw this.unknown(notAnswered(seen));
		const { own, all } = seen;
		const find = this.isSentByOther ? currentIn : madeIn;
		const made = this.madeByOther(own) ?? find(own, this.evidence, session);
		if (made) return made;
		if (isHidden(this.attempt, session.clientId)) throw this.unknown(sentByOther());
		this.attempt.isMissed = true;
		this.faceOthers(own);
		this.noteSeen(all);
		return undefined;
	}

	/** What is shown before a POST is not made by it. */
	private noteSeen(all: Activation[]): void {
		const { before = [] } = this.attempt;
		this.attempt.before = new Set([...before, ...all.flatMap((each) => traceOf(each) ?? [])]);
	}

	/** Whether its POST in doubt was sent with another client, which may be shown other activations. */
	private get isSentByOther(): boolean {
		return isSentByOther(this.attempt, this.products.session.clientId);
	}

	private unknown(error: ServiceError): ServiceError {
		this.isUnknown = true;
		return error;
	}

	private get evidence(): Evidence {
		return { ...evidenceOf(this.attempt), isOthersLook: this.isSentByOther };
	}

	private async send(): Promise<OrderResult> {
		let sentAt = TIME.now();
		this.isRefused = false;
		const departs = () => {
			if (!this.isFresh) throw heldUp();
			sentAt = TIME.now();
			this.attempt.isSent = this.isUnderWay = true;
		};
		const shownIn = (ms: number) => (this.attempt.shownFrom = performance.now() + ms);
		const doubt = (ms: number) => {
			this.attempt.sentAt ??= sentAt;
			this.attempt.sentBy = this.products.session.clientId;
			this.attempt.isMissed = false;
			shownIn(ms);
		};
		const told = await orFailure(
			this.products
				.order(this.order, { departs, place: this.place })
				.then((answer) => readOrderAnswer(answer, this.listing)),
		).catch((error: unknown) => {
			if (this.isUnderWay) doubt(UNHEARD_MS);
			throw error;
		});
		const hasLeft = this.isUnderWay;
		this.isUnderWay = false;
		const shownAfter = (answer: ServiceError) =>
			isAnswerLate(answer) ? UNHEARD_MS : SHOWN_AFTER_MS;
		if (told instanceof ServiceError) {
			// n8n's own errors, such as one of its database, may look like a lost connection.
			if (hasLeft && mayBeOrdered(told)) doubt(shownAfter(told));
			else this.isRefused = true;
			throw told;
		}
		if (told.doubt) doubt(shownAfter(told.doubt));
		else shownIn(SHOWN_AFTER_MS);
		if (!told.activation) return await this.existing(told);
		this.attempt.takenAt ??= sentAt;
		return { own: await this.identified(told.activation) };
	}

	/**
	 * After the last try one more look, unless the looks are what fails.
	 *
	 * @throws the error that ended the tries, if there is nothing to see
	 */
	private async afterLastTry(error: ServiceError): Promise<OrderResult> {
		if (this.attempt.sentAt === undefined || this.isUnknown) throw this.named(error);
		const earlier = await orFailure(this.earlierResult());
		if (earlier instanceof ServiceError) throw this.named(earlier);
		if (earlier) return earlier;
		throw this.named(notShown(error));
	}

	/** What the service has just made, with its ID if the list shows that and the answer did not. */
	private async identified(made: Activation): Promise<Activation> {
		if (activationId(made) !== undefined) return made;
		const { session } = this.products;
		const seen = await this.lookTwice((activations) =>
			activations.find((each) => isOwnNow(each, this.evidence, session)),
		).catch((error: unknown) => {
			if (session.isCancelled) throw error;
		});
		return seen ?? made;
	}

	/** The activation that the service says is there: read by its ID, else found by its listing. */
	private async existing(answer: OrderAnswer): Promise<OrderResult> {
		const { already, existing, refusal, doubt } = answer;
		const pointed = existing && (await this.pointedTo(existing));
		if (pointed) return pointed;
		const found = await orFailure(this.lookForExisting());
		if (found && !(found instanceof ServiceError)) return found;
		if (doubt && found) throw found;
		if (already && !refusal) return { already };
		throw found ?? refusal ?? leadsNowhere();
	}

	private async lookForExisting(): Promise<Found | undefined> {
		const { session } = this.products;
		return await this.lookTwice(
			(seen) => this.madeByOther(seen) ?? currentIn(seen, this.evidence, session),
		);
	}

	/** What surely is there: one that was just made may be shown a little later only. */
	private async lookTwice<T>(find: (seen: Activation[]) => T | undefined): Promise<T | undefined> {
		const found = find(await this.look());
		if (found) return found;
		await this.products.session.pause(SHOWN_AFTER_MS);
		return find(await this.look());
	}

	/** What a 303 leads to, as it stands now; undefined if that is not of the listing. */
	private async pointedTo(shown: Activation): Promise<Found | undefined> {
		const id = activationId(shown);
		if (id === undefined) return undefined;
		const read = await orFailure(this.products.activation(id));
		const activation = read instanceof ServiceError ? shown : read;
		const isClear = resultOf(activation) !== '' && mayBeOfListing(activation, this.listing);
		if (!isClear) return undefined;
		// What this client cannot read need not be new because its looks have not shown it.
		const isOthersLook = read instanceof ServiceError || this.isSentByOther;
		const evidence = { ...this.evidence, isOthersLook };
		return this.madeByOther([activation]) ?? claimed(activation, evidence, this.products.session);
	}

	/**
	 * What the service has of the listing, newest first.
	 *
	 * @throws ServiceError if it does not answer, or nothing tells whether what matters is of the listing
	 */
	async look(): Promise<Activation[]> {
		return (await this.lookAtAll()).own;
	}

	private async lookAtAll(bounds: Pick<Bounds, 'departs'> = {}): Promise<Look> {
		const { products, listing, evidence } = this;
		const all = await products.activations({ listing }, bounds);
		const { own, unclear } = sortByListing(all, listing);
		const isOpen = (activation: Activation) =>
			isCurrent(activation, products.session) ||
			mayBeOwn(activation, evidence, products.session) ||
			this.mayBeOfOthers(activation);
		const isClaimed = own.some((each) => isOpen(each) && !namesListing(each, listing));
		if (unclear.some(isOpen) || (isClaimed && !(await products.keepsTo(listing)))) {
			throw unclearListing();
		}
		return { own, all };
	}

	/** An error of n8n itself tells a person nothing of an order in doubt. */
	private withDoubt(error: unknown): unknown {
		const isKnown = error instanceof ServiceError || this.products.session.isCancelled;
		if (isKnown || !(error instanceof Error) || this.attempt.sentAt === undefined) return error;
		return this.named(stoppedInDoubt(error));
	}

	private named(error: ServiceError): ServiceError {
		const told = error.with(error.message, { cost: creditNote(this.attempt, this.isUnknown) });
		const entry = this.entryOf(error);
		if (!entry || error.isTransient || this.isUnknown) {
			const isNone = this.isRefused && this.mayBeTakenAt === undefined;
			return isNone ? this.notActivated(told, told.message) : told.about(this.name);
		}
		const { problem, remedy, helpCode } = entry;
		return this.notActivated(told, problem, { remedy, helpCode });
	}

	private notActivated(
		error: ServiceError,
		why: string,
		more: Partial<RegisterEntry> = {},
	): ServiceError {
		return error.with(`${this.name} was not activated: ${why}`, more);
	}

	private entryOf({ details: { code, status } }: ServiceError): RegisterEntry | undefined {
		const isUnlisted = this.lookedAt === undefined && 'customerListingId' in this.listing;
		return isUnlisted ? unlistedEntry(code, status) : (registerEntry(code) ?? statusEntry(status));
	}
}

function attemptsOf(orders: Tried[]): Attempt[] {
	return orders.map(({ attempt }) => attempt);
}
