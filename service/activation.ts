import type { HttpAnswer } from './answer';
import { failureIn, header, isObject, readAnswer } from './answer';
import { ServiceError } from './errors';
import type { Activation, Order, Products } from './products';
import {
	activationFailure,
	codesOf,
	createdAt,
	errorsIn,
	isActivation,
	readActivation,
	resultOf,
} from './products';
import { duplicateIn, registerEntry } from './register';
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

/** The activation of an order. */
export interface Made {
	/** Missing only where the service says that there is one and does not show it. */
	activation?: Activation;
	/** Whether this order made it; else it was there before. */
	isOwn: boolean;
	/** What the service's code says of one that it does not show. */
	already?: Already;
}

const NOT_FOUND = {
	problem: 'the service does not know the listing, or not this address',
	remedy: 'Check “Listing ID” first, then the Products URL in the credential.',
};

/** An activation's time has whole seconds, and the service's clocks may differ a little. */
const CLOCK_SLACK_MS = 2_000;

const NOT_TWICE =
	'a listing that has an activation, or one that waits, is not activated a second time.';

/**
 * Makes one activation, exactly once. A POST spends the agency's money and has no idempotency key,
 * so it is sent again only where the service certainly did not take it. Where that is not certain,
 * the service is asked first what it has of the listing.
 */
export class OneActivation {
	constructor(
		readonly products: Products,
		readonly order: Order,
		private readonly attempt: Attempt,
	) {}

	/** “Premium listing of listing 123”. */
	get name(): string {
		return this.products.nameOf(this.order.listing);
	}

	/**
	 * @returns the activation as it stands now, pending as a rule
	 * @throws ServiceError when there is none, or when that cannot be known
	 */
	async make(): Promise<Made> {
		const [outcome] = await Promise.allSettled([this.goOnOrSend()]);
		if (outcome.status === 'rejected') {
			const error: unknown = outcome.reason;
			throw error instanceof ServiceError ? this.named(error) : error;
		}
		const made = outcome.value;
		if (made.isOwn) this.attempt.made = made.activation;
		return made;
	}

	/**
	 * What a settled activation came to. One that failed because the listing has another one counts
	 * as that other one.
	 *
	 * @throws ServiceError of kind `failed` for ERROR and DEACTIVATED
	 */
	async conclude(made: Made): Promise<Made & { outcome: Outcome }> {
		const { activation, isOwn } = made;
		const already = activation && duplicateIn(codesOf(errorsIn(activation.status)));
		if (isOwn && already && resultOf(activation) === 'ERROR') {
			const other = await this.look(activation.id);
			const existing = other ?? { isOwn: false, already };
			return { ...existing, outcome: this.outcomeOf(existing) };
		}
		return { ...made, outcome: this.outcomeOf(made) };
	}

	private outcomeOf({ activation, isOwn, already }: Made): Outcome {
		if (!activation) return already ?? 'alreadyActive';
		switch (resultOf(activation)) {
			case 'ERROR':
			case 'DEACTIVATED': {
				const failure = activationFailure(this.products, activation);
				throw failure.with(`${this.name} was not activated: ${failure.message}`, {});
			}
			case 'PENDING':
				return isOwn ? 'pending' : 'alreadyPending';
			case 'ACTIVATED':
				return isOwn ? 'activated' : 'alreadyActive';
			case 'SCHEDULED':
				return isOwn ? 'scheduled' : 'alreadyActive';
			default:
				return isOwn ? 'pending' : 'alreadyActive';
		}
	}

	/** What an earlier try has made is not ordered again. */
	private async goOnOrSend(): Promise<Made> {
		const { made, sentAt } = this.attempt;
		if (made) return { activation: made, isOwn: true };
		const found = sentAt === undefined ? undefined : await this.orUnknown(this.look());
		return found ?? (await this.products.session.retry(async () => await this.sendOnce()));
	}

	private async sendOnce(): Promise<Made> {
		const sentAt = Date.now();
		const [outcome] = await Promise.allSettled([this.products.order(this.order).then(readOrder)]);
		if (outcome.status === 'fulfilled') {
			const { activation, existing, already } = outcome.value;
			if (activation) return { activation, isOwn: true };
			return await this.existing(already, existing);
		}
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError) || !mayBeTaken(error)) throw error;
		this.attempt.sentAt ??= sentAt;
		const found = await this.orUnknown(this.look());
		if (found) return found;
		throw error.with(error.message, {
			remedy: `The service shows no activation of the listing so far. Run the workflow again in a few minutes: should the service have taken the order after all, ${NOT_TWICE}`,
		});
	}

	/** The activation that the service says is there: read by its id, else found by its listing. */
	private async existing(already?: Already, shown?: Partial<Activation>): Promise<Made> {
		if (shown?.id !== undefined) {
			const [read] = await Promise.allSettled([this.products.activation(shown.id)]);
			if (read.status === 'fulfilled') return this.claimed(read.value);
			if (!(read.reason instanceof ServiceError)) throw read.reason;
			if (isActivation(shown) && resultOf(shown) !== '') return this.claimed(shown);
		}
		const found = await this.look();
		return found ?? { isOwn: false, already: already ?? 'alreadyActive' };
	}

	/** What the service has of the listing: what this order made, else what stands in its way. */
	private async look(exceptId?: string): Promise<Made | undefined> {
		const activations = await this.products.activations({ ...this.order.listing });
		const made = activations
			.filter(({ id }) => id !== exceptId)
			.map((activation) => this.claimed(activation));
		return (
			made.find(({ isOwn }) => isOwn) ??
			made.find(({ activation }) => activation && this.products.isCurrent(activation))
		);
	}

	/** An activation that began since a POST whose outcome is not known is that POST's. */
	private claimed(activation: Activation): Made {
		const { sentAt = Infinity } = this.attempt;
		const since = this.products.session.timeAt(sentAt) - CLOCK_SLACK_MS;
		return { activation, isOwn: createdAt(activation) >= since };
	}

	/** @throws ServiceError that tells that the outcome of the order is open */
	private async orUnknown<T>(work: Promise<T>): Promise<T> {
		const [outcome] = await Promise.allSettled([work]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError)) throw error;
		throw error.with(`It is not known whether it was activated: ${error.message}`, {
			remedy: `Run the workflow again once the service answers: ${NOT_TWICE}`,
		});
	}

	private named(error: ServiceError): ServiceError {
		const { code, status } = error.details;
		const entry = registerEntry(code) ?? (status === 404 ? NOT_FOUND : undefined);
		if (!entry || error.isTransient) return error.about(this.name);
		return error.with(`${this.name} was not activated: ${entry.problem}`, {
			remedy: entry.remedy,
		});
	}
}

/** What an answer to an order says: a new activation, or that there is one already. */
interface OrderAnswer {
	activation?: Activation;
	existing?: Partial<Activation>;
	already?: Already;
}

/** @throws ServiceError for an answer that is neither */
function readOrder({ answer, origin }: Written): OrderAnswer {
	if (answer.statusCode === 303) return { existing: existingIn(answer) };
	const failure = failureIn(origin, answer);
	const already = duplicateIn(codesOf(errorsIn(answer.body)));
	if (failure && already) return { already };
	return { activation: readActivation(readAnswer(origin, answer)) };
}

/** A 303 brings the activation, or at least its id at the end of its Location, of which parts may lack. */
function existingIn(answer: HttpAnswer): Partial<Activation> {
	if (isActivation(answer.body)) return answer.body;
	const [, id] = /([^/?#]+)\/?(?:[?#].*)?$/.exec(header(answer, 'location') ?? '') ?? [];
	return { ...(isObject(answer.body) && answer.body), ...(id !== undefined && { id }) };
}
