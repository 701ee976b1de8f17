/*
 * The way of an order, and what holds if n8n is killed, or the execution stopped, on it:
 *
 * | Killed …                     | … leaves behind                 | and the next run for the listing            |
 * | ---------------------------- | ------------------------------- | ------------------------------------------- |
 * | before the POST leaves       | nothing: no order, no credit    | orders it                                   |
 * | between POST and answer      | an order that the service has   | looks first, finds the order in the list,   |
 * |                              | or has not taken                | and orders only if there is none            |
 * | after the answer             | an order that was taken         | finds it                                    |
 *
 * Nothing is stored, and nobody resumes an order: the look before each POST is what keeps a credit from being spent
 * twice. A list may show an order some seconds late, so a process sends no order in its first 10 seconds (`place`). An
 * execution that was stopped leaves its order in doubt in memory (`lookAndPost`): n8n's own retries and other executions
 * of the process do not order it again. An order that failed before a kill (`ERROR`) stands in nobody's way: the
 * next run orders again.
 */

import noop from 'lodash/noop';
import pick from 'lodash/pick';

import { SECOND_MS } from '../basics/times';
import type { FailureDetails } from '../failure';
import { isAnswerLate, orFailure, ServiceError } from '../failure';
import { pause } from '../http/retry';
import type { Activation } from './activation';
import { activationKey, isCurrent, listingOf } from './activation';
import type { Already } from './codes';
import { entryOf } from './codes';
import type { Duplicate } from './orderAnswer';
import { mayBeOrdered, readOrderAnswer } from './orderAnswer';
import type { Listing, OrderRequest, Products } from './products';
import { orUnavailable } from './products';

/** What an order came to: an activation of its own, one that was there, or one that the service speaks of and does not show. */
export type OrderResult = { own: Activation } | { existing: Activation } | { already: Already };

/** The service may have taken an order, and no clear answer came. */
interface InDoubt {
	doubt: ServiceError;
}

/** What an execution knows of its order for one listing: n8n's “Retry On Fail” runs the whole node again. */
export interface OrderMemory {
	/** “Premium listing for listing 123”. */
	readonly name: string;
	/** What the listing had before the POST left, by `activationKey`. */
	before?: ReadonlySet<string>;
	/** Whether a POST has reached the service, as far as is known. */
	isSent?: boolean;
	/** Why nobody knows what became of the POST; it is not sent again then. */
	doubt?: ServiceError;
	/** The activation that the POST made, as it was seen last. */
	made?: Activation;
}

/** After this time a look proves what became of an order: lists show one some seconds late. */
const SHOWN_AFTER_MS = 10 * SECOND_MS;

/** The same after an answer that took so long that nobody waited for it: the service may still be at work on the order. */
const LATE_SHOWN_AFTER_MS = 30 * SECOND_MS;

const NO_ANSWER = 'The answer to the order did not arrive';

/**
 * Orders a product for one listing, once. A POST spends the agency's money and has no idempotency key, so the node
 * looks at the listing, posts once, and looks once more if no clear answer comes. It posts again only if the service
 * certainly did not take the order, and looks again before that.
 */
export class Order {
	constructor(
		readonly products: Products,
		private readonly request: OrderRequest,
		readonly memory: OrderMemory,
	) {}

	get listing(): Listing {
		return this.request.listing;
	}

	get name(): string {
		return this.memory.name;
	}

	/**
	 * @returns the activation as it stands now, pending as a rule
	 * @throws ServiceError when there is none, or when that cannot be known
	 */
	async place(): Promise<OrderResult> {
		const { memory, products } = this;
		if (memory.made) return { own: memory.made };
		if (memory.doubt) return await this.lookForOwn(memory.doubt);
		// A process that was killed may have sent an order for the listing. Lists show that order once this process is 10 seconds old.
		const leftMs = SHOWN_AFTER_MS - performance.now();
		if (leftMs > 0) await products.session.pause(leftMs);
		return await inTurn(products.orderKey(this.listing), memory, async (other) => {
			const tried = await products.session.retry(async () => await this.lookAndPost(other));
			if (!('doubt' in tried)) return tried;
			const { doubt } = tried;
			await products.session.pause(isAnswerLate(doubt) ? LATE_SHOWN_AFTER_MS : SHOWN_AFTER_MS);
			return await this.lookForOwn(doubt);
		});
	}

	/** @param other the order of another execution for the listing */
	private async lookAndPost(other?: OrderMemory): Promise<OrderResult | InDoubt> {
		const { memory, products } = this;
		const seen = await orFailure(this.look());
		if (seen instanceof ServiceError) throw this.notChecked(seen);
		const existing = this.currentIn(seen);
		if (existing) return { existing };
		if (other?.doubt) throw this.unknown(other.doubt).afterTries(0, 0);

		memory.before = new Set(seen.map(activationKey));
		// Before the POST leaves: an execution that is cancelled leaves its order in doubt.
		memory.doubt = new ServiceError('unavailable', NO_ANSWER);
		const answer = await orUnavailable(this.post(), products.session);
		if (answer instanceof ServiceError && mayBeOrdered(answer)) return { doubt: answer };
		memory.doubt = undefined;
		if (answer instanceof ServiceError) throw this.refused(answer);
		memory.isSent = true;
		if (!('made' in answer)) return await this.existing(answer);
		memory.made = answer.made;
		return { own: answer.made };
	}

	private async post() {
		const answer = await this.products.order(this.request);
		return readOrderAnswer(this.products.session.origin, answer, this.listing);
	}

	/** What an order in doubt has made. */
	private async lookForOwn(doubt: ServiceError): Promise<OrderResult> {
		const { memory, products } = this;
		memory.doubt = doubt;
		const seen = await orUnavailable(this.look(), products.session);
		if (seen instanceof ServiceError) throw this.unknown(seen);
		const own = this.onlyNewIn(seen);
		if (!own) throw this.unknown(doubt);
		memory.doubt = undefined;
		memory.made = own;
		return { own };
	}

	/** What is listed now and was not before; undefined if there are several, since nobody can tell which one is this order's. */
	private onlyNewIn(seen: Activation[]): Activation | undefined {
		const { before = new Set() } = this.memory;
		const [first, ...others] = seen.filter((activation) => !before.has(activationKey(activation)));
		return others.length === 0 ? first : undefined;
	}

	/** The activation that the service says is there: the listed one, else what a code says of it. */
	private async existing({ already, refusal }: Duplicate): Promise<OrderResult> {
		await this.products.session.pause(SHOWN_AFTER_MS);
		const seen = await orFailure(this.look());
		const existing = seen instanceof ServiceError ? undefined : this.currentIn(seen);
		if (existing) return { existing };
		if (refusal) throw this.refused(refusal);
		if (already) return { already };
		throw this.named(seen instanceof ServiceError ? seen : leadsNowhere());
	}

	private currentIn(seen: Activation[]): Activation | undefined {
		return seen.find((activation) => isCurrent(activation, this.products.session));
	}

	/**
	 * What the service has of the listing, newest first. By the contract, activations name their listing by the portal's ID
	 * alone. So whether a list for an agency's own ID is of that listing shows only if it names several.
	 *
	 * @throws ServiceError if the service does not answer, or lists activations of other listings as well
	 */
	private async look(): Promise<Activation[]> {
		const { products, listing } = this;
		const seen = await products.activations({ listing });
		const wanted = 'listingId' in listing ? [listing.listingId] : [];
		const named = seen.flatMap((activation) => listingOf(activation) ?? []);
		if (new Set([...wanted, ...named]).size > 1) throw othersListed();
		return seen;
	}

	private notChecked(error: ServiceError): ServiceError {
		const why = `Nothing was ordered, because the listing could not be checked first: ${error.message}`;
		return this.named(error, why, { helpCode: 'orderNotSent' });
	}

	/** The service certainly did not take the order. */
	private refused(error: ServiceError): ServiceError {
		const { isUnsent, requestKind, code, status } = error.details;
		this.memory.isSent ||= !isUnsent && requestKind !== 'token';
		const entry = error.isTransient ? undefined : entryOf(code, `order ${status}`);
		const why = `${this.name} was not activated: ${entry?.problem ?? error.message}`;
		return error.with(why, { cost: this.cost, ...pick(entry, ['remedy', 'helpCode']) });
	}

	private unknown(error: ServiceError): ServiceError {
		const where = error.kind === 'foreign' ? 'Check the “Products URL” in the credential. ' : '';
		return this.named(error, `It is not known whether it was activated: ${error.message}`, {
			cost: 'A credit may have been spent.',
			remedy: `${where}Check with Get Many in a few minutes. If it shows no activation of the listing, run the workflow again: the node checks first, and does not order again what the service shows.`,
			helpCode: 'orderUnknown',
		});
	}

	private named(error: ServiceError, why = error.message, more: FailureDetails = {}): ServiceError {
		return error.with(`${this.name}: ${why}`, { cost: this.cost, ...more });
	}

	/** What is known of the credit of an order that was not taken: the service nowhere says what an order costs. */
	private get cost(): string {
		return this.memory.isSent
			? 'The service did not accept the order. It does not report credits: if in doubt, ask the operator.'
			: 'No order was sent, so no credit was spent.';
	}
}

function leadsNowhere(): ServiceError {
	return new ServiceError('foreign', 'The order was redirected, but not to an activation (303)', {
		status: 303,
		remedy: 'Check with Get Many what the listing has, and the “Products URL” in the credential.',
		helpCode: 'orderUnknown',
	});
}

function othersListed(): ServiceError {
	return new ServiceError('foreign', 'The service shows activations of other listings as well', {
		remedy:
			'Nothing shows which of them belong to this listing. Use the portal listing ID, and tell the operator of the service.',
	});
}

/** The last order of this process for each listing, until lists show what it made. */
const recentOrders = new Map<string, Promise<OrderMemory | undefined>>();

/**
 * Two executions that look at a listing at the same moment both find nothing, and the service may take two orders. So each
 * waits until lists show what the one before it made.
 *
 * @param work is given the order before it, which may be in doubt
 */
async function inTurn<T>(
	key: string,
	memory: OrderMemory,
	work: (other?: OrderMemory) => Promise<T>,
): Promise<T> {
	const earlier = recentOrders.get(key) ?? Promise.resolve(undefined);
	const placed = earlier.then(work);
	const last = placed.then(noop, noop).then(async () => {
		if (!memory.made && !memory.doubt) return await earlier;
		await pause(SHOWN_AFTER_MS);
		return memory;
	});
	recentOrders.set(key, last);
	void last.then(() => {
		if (recentOrders.get(key) === last) recentOrders.delete(key);
	});
	return await placed;
}
