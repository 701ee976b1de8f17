import type { HttpAnswer } from './answer';
import { failureIn, header, isObject, problemOf, readAnswer } from './answer';
import { ServiceError } from './errors';
import type { Activation, Order, Products } from './products';
import {
	activationFailure,
	codesOf,
	errorsIn,
	hasFailed,
	isActivation,
	latestCreation,
	readActivation,
	resultOf,
	tellingOf,
} from './products';
import { duplicateIn, registerEntry, statusEntry } from './register';
import type { Written } from './request';
import { mayBeTaken } from './request';

/** What became of an order; the first three are of an activation that this very order made. */
export type Outcome = 'activated' | 'pending' | 'scheduled' | Already;

type Already = 'alreadyActive' | 'alreadyPending';

/** What is known of an order, so that whoever tries it again does not start from nothing. */
export interface Attempt {
	/** When the first POST whose outcome is not known was sent, by the host's clock. */
	sentAt?: number;
	/** The activation that the order made, as it was then. */
	made?: Activation;
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

const NOT_TWICE =
	'a listing that has an activation, or one that waits, is not activated a second time.';

/**
 * Makes one activation, exactly once. A POST spends the agency's money and has no idempotency key,
 * so it is sent again only where the service certainly did not take it. Where that is not certain,
 * the service is asked first what it has of the listing.
 */
export class OneActivation {
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

	/** When its first POST was sent whose outcome is not known, by the host's clock. */
	get openSince(): number | undefined {
		return this.attempt.sentAt;
	}

	/** Has it look before it orders: another order's POST may have been for the same listing. */
	mayBeSentAt(time: number): void {
		this.attempt.sentAt ??= time;
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

	/** What earlier tries have made, be it that they did not hear of it. */
	private async fromBefore(): Promise<Made | undefined> {
		const { made, sentAt } = this.attempt;
		if (made) return { own: made };
		if (sentAt === undefined) return undefined;
		const [outcome] = await Promise.allSettled([this.look()]);
		if (outcome.status === 'fulfilled') return this.madeIn(outcome.value);
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

	private async send(): Promise<Made> {
		const sentAt = Date.now();
		const [outcome] = await Promise.allSettled([
			this.products.order(this.order).then(readOrderAnswer),
		]);
		if (outcome.status === 'fulfilled') {
			const { activation, existing, already } = outcome.value;
			return activation ? { own: activation } : await this.existing(already, existing);
		}
		const error: unknown = outcome.reason;
		if (error instanceof ServiceError && mayBeTaken(error)) this.attempt.sentAt ??= sentAt;
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

	/** The activation that the service says is there: read by its id, else found by its listing. */
	private async existing(already?: Already, shown?: Partial<Activation>): Promise<Made> {
		if (shown?.id !== undefined) {
			const [read] = await Promise.allSettled([this.products.activation(shown.id)]);
			if (read.status === 'rejected' && !(read.reason instanceof ServiceError)) throw read.reason;
			const activation = read.status === 'fulfilled' ? read.value : shown;
			if (isActivation(activation) && resultOf(activation) !== '' && this.isOfListing(activation)) {
				return this.claimed(activation);
			}
		}
		const [outcome] = await Promise.allSettled([this.look()]);
		const found = outcome.status === 'fulfilled' ? this.currentIn(outcome.value) : undefined;
		if (found) return found;
		if (already) return { already };
		if (outcome.status === 'rejected') throw outcome.reason;
		throw new ServiceError('foreign', 'The service redirects elsewhere (303)', {
			api: 'products',
			step: 'data',
			status: 303,
			remedy:
				'The service says that there is an activation, and shows none. Check with Get Many what the listing has, and the Products URL in the credential.',
		});
	}

	/** Instead of an order that failed because of another activation: that one. */
	private async other(failed: Activation, already: Already): Promise<Made> {
		const [outcome] = await Promise.allSettled([this.look()]);
		if (outcome.status === 'rejected') {
			if (outcome.reason instanceof ServiceError) return { already };
			throw outcome.reason;
		}
		const others = outcome.value.filter(({ id }) => id !== failed.id);
		const existing = others.find((activation) => this.products.isCurrent(activation));
		return existing ? { existing } : { already };
	}

	/** What the service has of the listing, newest first. */
	private async look(): Promise<Activation[]> {
		const activations = await this.products.activations({ ...this.order.listing });
		return activations.filter((activation) => this.isOfListing(activation));
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
		const { sentAt = Infinity } = this.attempt;
		return latestCreation(activation) >= this.products.session.timeAt(sentAt) - CLOCK_SLACK_MS;
	}

	private mayBeOwn(activation: Activation): boolean {
		const { session } = this.products;
		const { sentAt = Infinity } = this.attempt;
		const slack = session.knowsTime ? ENDED_SLACK_MS : Infinity;
		return !(latestCreation(activation) < session.timeAt(sentAt) - slack);
	}

	private isOfListing({ listingId }: Activation): boolean {
		const { listing } = this.order;
		return (
			typeof listingId !== 'number' || !('listingId' in listing) || listing.listingId === listingId
		);
	}

	private named(error: ServiceError): ServiceError {
		const { code, status } = error.details;
		const entry = registerEntry(code) ?? statusEntry(status);
		if (!entry || error.isTransient || this.isUnknown) return error.about(this.name);
		return error.with(`${this.name} was not activated: ${entry.problem}`, {
			remedy: entry.remedy,
		});
	}
}

function ownOutcome(result: string): Outcome {
	if (result === 'ACTIVATED') return 'activated';
	return result === 'SCHEDULED' ? 'scheduled' : 'pending';
}

function existingOutcome(result: string): Outcome {
	return result === 'PENDING' ? 'alreadyPending' : 'alreadyActive';
}

function notShown(error: ServiceError): ServiceError {
	if (!mayBeTaken(error)) return error;
	const where = error.kind === 'foreign' ? 'Check the Products URL in the credential. ' : '';
	return error.with(error.message, {
		remedy: `${where}The service shows no activation of the listing so far. Run the workflow again in a few minutes: should the service have taken the order after all, ${NOT_TWICE}`,
	});
}

/** What an answer to an order says: a new activation, or that there is one already. */
interface OrderAnswer {
	activation?: Activation;
	existing?: Partial<Activation>;
	already?: Already;
}

/** @throws ServiceError for an answer that is neither */
function readOrderAnswer({ answer, origin }: Written): OrderAnswer {
	if (answer.statusCode === 303) return { existing: existingIn(answer) };
	const failure = failureIn(origin, answer);
	if (!failure) return { activation: readActivation(readAnswer(origin, answer)) };
	const errors = errorsIn(answer.body);
	const already = duplicateIn(codesOf(errors));
	if (already) return { already };
	const problem = problemOf({ errors: [tellingOf(errors), ...errors] }, origin.secrets);
	throw failure.with(failure.message, errors.length > 0 ? problem : {});
}

/** A 303 brings the activation, or at least its id at the end of its Location, of which parts may lack. */
function existingIn(answer: HttpAnswer): Partial<Activation> {
	if (isActivation(answer.body)) return answer.body;
	const [, id] = /([0-9a-f-]{36})\/?(?:[?#].*)?$/i.exec(header(answer, 'location') ?? '') ?? [];
	return { ...(isObject(answer.body) && answer.body), ...(id !== undefined && { id }) };
}
