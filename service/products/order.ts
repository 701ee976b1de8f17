/*
 * What an order leaves behind if n8n is killed, or the execution is stopped, and what the next run then does:
 *
 * | Killed …                     | … leaves behind                 | and the next run for the listing            |
 * | ---------------------------- | ------------------------------- | ------------------------------------------- |
 * | before the POST leaves       | nothing: no order, no credit    | orders it                                   |
 * | between POST and answer      | an order that the service has   | lists first, finds the order in the list,   |
 * |                              | or has not accepted             | and orders only if there is none            |
 * | after the answer             | an order that was accepted      | finds it                                    |
 *
 * The package stores nothing, and nobody resumes an order. The list before each POST is what keeps a credit from being
 * spent twice. A list may show an order some seconds late, so a process sends no order in its first 10 seconds (`place`).
 * An execution that was stopped leaves its order in doubt in memory (`lookAndPost`): n8n's own retries and other
 * executions of the process do not order it again. An order that failed before a kill (`ERROR`) does not prevent the next
 * run from ordering again.
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
import { LABELS } from './labels';
import type { Duplicate } from './orderAnswer';
import { mayBeOrdered, readOrderAnswer } from './orderAnswer';
import type { Listing, OrderRequest, Products } from './products';
import { orUnavailable } from './products';

/**
 * The result of an order: an activation that the order created, one that was there, or one that the service reports
 * and does not list.
 */
export type OrderResult = { own: Activation } | { existing: Activation } | { already: Already };

/** An order in doubt: the service may have accepted it, and no clear answer came. */
interface InDoubt {
	doubt: ServiceError;
}

/**
 * An execution's memory of its order for one listing. It outlives a run of the node, because n8n's “Retry On Fail”
 * runs the whole node again.
 */
export interface OrderMemory {
	/** The order in words: “Premium listing for listing 123”. */
	readonly name: string;
	/** The activations of the listing before the POST left, by `activationKey`. */
	before?: ReadonlySet<string>;
	/** True if a POST has reached the service, as far as the node knows. */
	isSent?: boolean;
	/** The failure that left the POST in doubt; such an order is not sent again. */
	doubt?: ServiceError;
	/** The activation that the POST created, as the node read it last. */
	made?: Activation;
}

/**
 * The time after a POST from which a list proves whether the service accepted it: lists show a new activation some
 * seconds late.
 */
const SHOWN_AFTER_MS = 10 * SECOND_MS;

/**
 * The time after a POST with a late answer from which a list proves whether the service accepted it: the service may
 * still be processing the order.
 */
const LATE_SHOWN_AFTER_MS = 30 * SECOND_MS;

const NO_ANSWER = 'The answer to the order did not arrive';

/**
 * Orders a product for one listing, once. A POST spends the agency's money and has no idempotency key. So the node
 * lists the listing's activations, posts once, and lists them once more if no clear answer comes. It posts again only
 * if the service certainly did not accept the order, and lists them again before that.
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
	 * @returns the activation as it stands now, usually pending
	 * @throws ServiceError if there is no activation, or if the node cannot know
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
		// The doubt is noted before the POST leaves, so that an execution that is cancelled meanwhile leaves its order in
		// doubt.
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

	/** Looks for the activation that an order in doubt has created. */
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

	/**
	 * The activation that is listed now and was not listed before. It is undefined if there are several, since nobody
	 * can tell which one this order created.
	 */
	private onlyNewIn(seen: Activation[]): Activation | undefined {
		const { before = new Set() } = this.memory;
		const [first, ...others] = seen.filter((activation) => !before.has(activationKey(activation)));
		return others.length === 0 ? first : undefined;
	}

	/** The activation that already exists, by the service's answer: the listed one, or else the one that a code reports. */
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
	 * Lists the activations of the listing, newest first. By the contract, activations name their listing by the
	 * portal's ID alone. So a list for an agency's own ID is known to be of other listings only if it names several.
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

	/** The failure of an order that the service certainly did not accept. */
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

	/** The sentence on the credit of an order that was not accepted. The service does not report what an order costs. */
	private get cost(): string {
		return this.memory.isSent
			? 'The service did not accept the order. It does not report credits: if in doubt, ask the operator.'
			: 'No order was sent, so no credit was spent.';
	}
}

function leadsNowhere(): ServiceError {
	return new ServiceError(
		'foreign',
		'The service says that the listing has an order already (303), but does not show it',
		{
			status: 303,
			remedy: 'Check with Get Many what the listing has, and the “Products URL” in the credential.',
			helpCode: 'orderUnknown',
		},
	);
}

function othersListed(): ServiceError {
	return new ServiceError('foreign', 'The service lists activations of other listings as well', {
		remedy: `The node cannot tell which of them belong to this listing. Set “${LABELS.listingIdType}” to “${LABELS.portalListingId}”, and tell the operator of the service.`,
	});
}

/** The last order of this process for each listing, kept until lists show what it created. */
const recentOrders = new Map<string, Promise<OrderMemory | undefined>>();

/**
 * Lets two executions that order one listing wait for each other. If both listed it at the same moment, both would
 * find nothing, and the service might accept two orders. So each waits until lists show what the one before it
 * created.
 *
 * @param work gets the order before it, which may be in doubt
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
