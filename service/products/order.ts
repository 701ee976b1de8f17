import type { HttpAnswer } from '../http/answer';
import { failureIn, header, isNoPage } from '../http/answer';
import { problemOf } from '../http/problem';
import { isObject } from '../basics/values';
import { mayBeTaken, ServiceError } from '../failure';
import { mayBeOf, names, sortByListing } from './ownListing';
import type { Activation, Listing, Order, Products } from './products';
import {
	activationFailure,
	codesOf,
	errorsIn,
	hasFailed,
	idOf,
	isActivation,
	latestCreation,
	readActivation,
	resultOf,
	tellingFirst,
} from './products';
import type { RegisterEntry } from './codes';
import { duplicateIn, isAmbiguous, registerEntry, statusEntry, unlistedEntry } from './codes';
import type { Written } from '../session';

/** What became of an order; the first three are of an activation that this very order made. */
export type Outcome = 'activated' | 'pending' | 'scheduled' | Already;

type Already = 'alreadyActive' | 'alreadyPending' | 'alreadyScheduled';

/** What is known of an order, so that whoever tries it again does not start from nothing. */
export interface Attempt {
	/** When the first POST whose outcome is not known was sent, by the host's clock. */
	sentAt?: number;
	/** Since when that of the last one is in doubt, by the host's clock. */
	inDoubtSince?: number;
	/** When the POST was sent that the service took for certain, by the host's clock. */
	takenAt?: number;
	/** The activation that the order made, as it was then. */
	made?: Activation;
	/** The IDs of what the listing had before the first POST. */
	before?: Set<string>;
}

/** What an order came to. */
export type Made =
	/** An activation of its own. */
	| { own: Activation }
	/** One that was there before. */
	| { existing: Activation }
	/** One that the service speaks of and does not show. */
	| { already: Already };

/** For the outcome's name: the service's clocks may differ a little. */
const CLOCK_SLACK_MS = 2_000;

/** For one that has ended: its time may be another clock's. */
const ENDED_SLACK_MS = 5 * 60_000;

/**
 * How long the node waits before it looks for an order that nobody has heard of: the service may still
 * be at work on it, and its list may show it a little later. To look too early costs a credit.
 */
const SHOWN_AFTER_MS = 5_000;

const NOT_TWICE = 'the node looks first, and does not order again what the service shows.';

/**
 * Makes one activation, once. A POST spends the agency's money and has no idempotency key: what the
 * listing has is looked at before the first one, since nobody says that the service refuses an order
 * while an activation is only planned. It is sent again only where the service certainly did not take
 * it. Where that is not certain, the service is asked again what it has of the listing.
 */
export class OneActivation {
	/** Whether the listing was looked at before the first POST. */
	private hasLooked = false;

	/** Whether the service could not be asked what became of a POST. */
	private isUnknown = false;

	constructor(
		readonly products: Products,
		readonly order: Order,
		private readonly attempt: Attempt,
	) {}

	/** “Premium listing of listing 123”. */
	get name(): string {
		return this.products.nameOf(this.order.listing);
	}

	/** When its first POST was sent that the service has or may have taken, by the host's clock. */
	get mayBeTakenAt(): number | undefined {
		const { sentAt, takenAt } = this.attempt;
		return sentAt ?? takenAt;
	}

	/** Has it look before it orders: another order's POST may have been for the same listing. */
	mayBeSentAt(time: number): void {
		this.attempt.sentAt ??= time;
		this.attempt.inDoubtSince ??= time;
	}

	/**
	 * @returns the activation as it stands now, pending as a rule
	 * @throws ServiceError when there is none, or when that cannot be known
	 */
	async make(): Promise<Made> {
		const { session } = this.products;
		const [outcome] = await Promise.allSettled([
			session.retry(async () => (await this.fromBefore()) ?? (await this.send())),
		]);
		const made = outcome.status === 'fulfilled' ? outcome.value : await this.last(outcome.reason);
		if ('own' in made) this.attempt.made = made.own;
		return made;
	}

	/**
	 * What a settled activation came to. One that failed because the listing has another one counts
	 * as that other one.
	 *
	 * @throws ServiceError of kind `failed` for ERROR and DEACTIVATED
	 */
	async conclude(made: Made): Promise<{ activation?: Activation; outcome: Outcome }> {
		if ('already' in made) return { outcome: made.already };
		if ('existing' in made) return this.concluded(made.existing, existingOutcome);
		const { own } = made;
		const duplicate = duplicateIn(codesOf(errorsIn(own.status)));
		if (duplicate && resultOf(own) === 'ERROR') {
			return await this.conclude(await this.other(own, duplicate));
		}
		return this.concluded(own, ownOutcome);
	}

	private concluded(
		activation: Activation,
		outcomeOf: (result: string) => Outcome,
	): { activation: Activation; outcome: Outcome } {
		if (hasFailed(activation)) throw this.failureOf(activation);
		return { activation, outcome: outcomeOf(resultOf(activation)) };
	}

	private failureOf(activation: Activation): ServiceError {
		const failure = activationFailure(this.products, activation);
		return failure.with(`${this.name} was not activated: ${failure.message}`, {});
	}

	/** What earlier tries have made, be it that they did not hear of it, or what was there before them. */
	private async fromBefore(): Promise<Made | undefined> {
		const { made, sentAt } = this.attempt;
		if (made) return { own: made };
		return sentAt === undefined ? await this.there() : await this.sent();
	}

	/** What the listing has before anything is ordered for it: looked at once. */
	private async there(): Promise<Made | undefined> {
		if (this.hasLooked) return undefined;
		const [outcome] = await Promise.allSettled([this.look()]);
		if (outcome.status === 'rejected') {
			const error: unknown = outcome.reason;
			if (!(error instanceof ServiceError)) throw error;
			throw error.with(
				`Nothing was ordered, since the node could not look first: ${error.message}`,
				{},
			);
		}
		this.hasLooked = true;
		this.attempt.before = new Set(outcome.value.flatMap((activation) => idOf(activation) ?? []));
		return this.currentIn(outcome.value);
	}

	/** What a POST has made whose answer did not come. */
	private async sent(): Promise<Made | undefined> {
		await this.untilShown();
		const [outcome] = await Promise.allSettled([this.look()]);
		if (outcome.status === 'fulfilled') {
			this.hasLooked = true;
			return this.madeIn(outcome.value);
		}
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError)) throw error;
		this.isUnknown = true;
		throw error.with(`It is not known whether it was activated: ${error.message}`, {
			remedy:
				error.kind === 'foreign'
					? `Check the Products URL in the credential, then run the workflow again: ${NOT_TWICE}`
					: `Run the workflow again once the service answers: ${NOT_TWICE}`,
		});
	}

	/** @throws the abort reason when the execution is cancelled */
	private async untilShown(): Promise<void> {
		const { inDoubtSince = -Infinity } = this.attempt;
		const leftMs = inDoubtSince + SHOWN_AFTER_MS - Date.now();
		if (leftMs > 0) await this.products.session.pause(Math.min(leftMs, SHOWN_AFTER_MS));
	}

	private async send(): Promise<Made> {
		const sentAt = Date.now();
		const [outcome] = await Promise.allSettled([
			this.products
				.order(this.order)
				.then((written) => readOrderAnswer(written, this.order.listing)),
		]);
		if (outcome.status === 'fulfilled') {
			const { activation } = outcome.value;
			if (!activation) return await this.existing(outcome.value);
			this.attempt.takenAt ??= sentAt;
			return { own: await this.identified(activation, sentAt) };
		}
		const error: unknown = outcome.reason;
		if (error instanceof ServiceError && mayBeTaken(error)) {
			this.attempt.sentAt ??= sentAt;
			this.attempt.inDoubtSince = Date.now();
		}
		throw error;
	}

	/**
	 * After the last try one more look, unless the looks are what fails.
	 *
	 * @throws the error that ended the tries, where there is nothing to see
	 */
	private async last(error: unknown): Promise<Made> {
		if (!(error instanceof ServiceError)) throw error;
		if (this.attempt.sentAt === undefined || this.isUnknown) throw this.named(error);
		const [outcome] = await Promise.allSettled([this.fromBefore()]);
		if (outcome.status === 'fulfilled' && outcome.value) return outcome.value;
		const reason: unknown = outcome.status === 'rejected' ? outcome.reason : notShown(error);
		throw reason instanceof ServiceError ? this.named(reason) : reason;
	}

	/** What the service has just made, with its ID if the list shows that where the answer did not. */
	private async identified(made: Activation, sentAt: number): Promise<Activation> {
		if (idOf(made) !== undefined) return made;
		this.attempt.sentAt ??= sentAt;
		const [outcome] = await Promise.allSettled([this.look()]);
		if (outcome.status === 'fulfilled') {
			return outcome.value.find((activation) => this.isOwn(activation)) ?? made;
		}
		if (outcome.reason instanceof ServiceError) return made;
		throw outcome.reason;
	}

	/** The activation that the service says is there: read by its ID, else found by its listing. */
	private async existing({ already, existing, refusal }: OrderAnswer): Promise<Made> {
		const shown = existing && (await this.pointedTo(existing));
		if (shown) return this.claimed(shown);
		const [outcome] = await Promise.allSettled([this.found()]);
		if (outcome.status === 'fulfilled' && outcome.value) return outcome.value;
		if (outcome.status === 'rejected' && !(outcome.reason instanceof ServiceError)) {
			throw outcome.reason;
		}
		if (already && !refusal) return { already };
		throw outcome.status === 'rejected' ? outcome.reason : (refusal ?? leadsNowhere());
	}

	/** What surely is there: one that was just made may be shown a little later only. */
	private async found(): Promise<Made | undefined> {
		const found = this.currentIn(await this.look());
		if (found) return found;
		await this.products.session.pause(SHOWN_AFTER_MS);
		return this.currentIn(await this.look());
	}

	/** What a 303 leads to, as it stands now; undefined where that is not of the listing. */
	private async pointedTo(shown: Activation): Promise<Activation | undefined> {
		const id = idOf(shown);
		if (id === undefined) return undefined;
		const [read] = await Promise.allSettled([this.products.activation(id)]);
		if (read.status === 'rejected' && !(read.reason instanceof ServiceError)) throw read.reason;
		const activation = read.status === 'fulfilled' ? read.value : shown;
		const isClear = resultOf(activation) !== '' && mayBeOf(activation, this.order.listing);
		return isClear ? activation : undefined;
	}

	/** Instead of an order that failed because of another activation: that one. */
	private async other(failed: Activation, already: Already): Promise<Made> {
		const [outcome] = await Promise.allSettled([this.look()]);
		if (outcome.status === 'rejected') {
			if (outcome.reason instanceof ServiceError) return { already };
			throw outcome.reason;
		}
		const others = outcome.value.filter((activation) => idOf(activation) !== idOf(failed));
		const existing = others.find((activation) => this.products.isCurrent(activation));
		return existing ? { existing } : { already };
	}

	/**
	 * What the service has of the listing, newest first.
	 *
	 * @throws ServiceError also where nothing tells whether what matters is of the listing
	 */
	private async look(): Promise<Activation[]> {
		const { listing } = this.order;
		const { own, unclear } = sortByListing(await this.products.activations({ listing }), listing);
		const isOpen = (activation: Activation) =>
			this.products.isCurrent(activation) || this.mayBeOwn(activation);
		const isClaimed = own.some((activation) => isOpen(activation) && !names(activation, listing));
		if (unclear.some(isOpen) || (isClaimed && !(await this.products.keepsTo(listing)))) {
			throw unclearListing();
		}
		return own;
	}

	/**
	 * What a POST without an answer has made. One that has ended counts too, unless it surely is older
	 * than the POST: to be wrong there costs another run, to miss it costs another credit.
	 */
	private madeIn(activations: Activation[]): Made | undefined {
		const ended = activations.find((activation) => this.mayBeOwn(activation));
		return this.currentIn(activations) ?? (ended && { own: ended });
	}

	/** What surely is this order's, else what stands in its way. */
	private currentIn(activations: Activation[]): Made | undefined {
		const own = activations.find((activation) => this.isOwn(activation));
		if (own) return { own };
		const existing = activations.find((activation) => this.products.isCurrent(activation));
		return existing && { existing };
	}

	private claimed(activation: Activation): Made {
		return this.isOwn(activation) ? { own: activation } : { existing: activation };
	}

	/** An activation that began since a POST whose outcome is not known is that POST's. */
	private isOwn(activation: Activation): boolean {
		const { sentAt } = this.attempt;
		if (sentAt === undefined || this.wasThere(activation)) return false;
		return latestCreation(activation) >= this.products.session.timeAt(sentAt) - CLOCK_SLACK_MS;
	}

	private mayBeOwn(activation: Activation): boolean {
		const { session } = this.products;
		const { sentAt } = this.attempt;
		if (sentAt === undefined || this.wasThere(activation)) return false;
		const slack = session.knowsTime ? ENDED_SLACK_MS : Infinity;
		return !(latestCreation(activation) < session.timeAt(sentAt) - slack);
	}

	private wasThere(activation: Activation): boolean {
		const id = idOf(activation);
		return id !== undefined && (this.attempt.before?.has(id) ?? false);
	}

	private named(error: ServiceError): ServiceError {
		const entry = this.entryOf(error);
		if (!entry || error.isTransient || this.isUnknown) return error.about(this.name);
		return error.with(`${this.name} was not activated: ${entry.problem}`, {
			remedy: entry.remedy,
		});
	}

	private entryOf({ details: { code, status } }: ServiceError): RegisterEntry | undefined {
		const isUnlisted = !this.hasLooked && 'customerListingId' in this.order.listing;
		return isUnlisted ? unlistedEntry(code, status) : (registerEntry(code) ?? statusEntry(status));
	}
}

function ownOutcome(result: string): Outcome {
	if (result === 'ACTIVATED') return 'activated';
	return result === 'SCHEDULED' ? 'scheduled' : 'pending';
}

function existingOutcome(result: string): Outcome {
	if (result === 'ACTIVATED') return 'alreadyActive';
	return result === 'SCHEDULED' ? 'alreadyScheduled' : 'alreadyPending';
}

function leadsNowhere(): ServiceError {
	return new ServiceError('foreign', 'The service redirects elsewhere (303)', {
		status: 303,
		remedy:
			'The service says that there is an activation, and shows none. Check with Get Many what the listing has, and the Products URL in the credential.',
	});
}

function unclearListing(): ServiceError {
	return new ServiceError('foreign', 'The service shows activations of other listings as well', {
		remedy:
			'Nothing tells which of them are of this listing. Use the service’s own ID of the listing, and tell the operator of the service.',
	});
}

function notShown(error: ServiceError): ServiceError {
	if (!mayBeTaken(error)) return error;
	const where = error.kind === 'foreign' ? 'Check the Products URL in the credential. ' : '';
	return error.with(error.message, {
		remedy: `${where}The service shows no activation of the listing so far. Run the workflow again in a few minutes: ${NOT_TWICE}`,
	});
}

/** What an answer to an order says: a new activation, or that there is one already. */
interface OrderAnswer {
	activation?: Activation;
	/** What a 303 shows of the one that is there. */
	existing?: Activation;
	already?: Already;
	/** What to say where `already` is not certain, and nothing is to be seen. */
	refusal?: ServiceError;
}

/** @throws ServiceError for an answer that is neither */
function readOrderAnswer({ answer, origin }: Written, listing: Listing): OrderAnswer {
	const errors = errorsIn(answer.body);
	const codes = codesOf(errors);
	const already = duplicateIn(codes);
	if (answer.statusCode === 303) return { existing: existingIn(answer), already };
	const isShape = answer.statusCode === 202 ? isNoPage : isObject;
	const failure = failureIn(origin, answer, isShape);
	if (!failure) return { activation: activationIn(answer, listing) };
	const problem = problemOf({ errors: tellingFirst(errors) }, origin.secrets);
	const refusal = failure.with(failure.message, errors.length > 0 ? problem : {});
	if (!already) throw refusal;
	return isAmbiguous(codes) ? { already, refusal } : { already };
}

/**
 * What an order has made. With 202 it is taken, however its activation is shown: alone, as the only one
 * of a list, by its ID in the Location, or not at all.
 *
 * @throws ServiceError for another status
 */
function activationIn(answer: HttpAnswer, listing: Listing): Activation {
	if (answer.statusCode !== 202) return readActivation(answer.body);
	const activation = shownIn(answer) ?? { ...listing };
	const id = idOf(activation) ?? idInLocation(answer);
	return id === undefined ? activation : { ...activation, id };
}

/** The activation in a body, alone or as the only one of a list. */
function shownIn({ body }: HttpAnswer): Activation | undefined {
	const [first, ...others] = [body].flat().filter(isActivation);
	return others.length === 0 ? first : undefined;
}

/** A 303 brings the activation, or at least its ID at the end of its Location, of which parts may lack. */
function existingIn(answer: HttpAnswer): Activation {
	const shown = shownIn(answer) ?? {};
	return { ...shown, id: idOf(shown) ?? idInLocation(answer) };
}

function idInLocation(answer: HttpAnswer): string | undefined {
	const [, id] = /([0-9a-f-]{36})\/?(?:[?#].*)?$/i.exec(header(answer, 'location') ?? '') ?? [];
	return id;
}
