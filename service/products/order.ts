/*
 * What remains of an order if n8n is killed or the execution is stopped, and what the next run then does:
 *
 * | n8n is killed …              | What remains                    | The next run for the listing …              |
 * | ---------------------------- | ------------------------------- | ------------------------------------------- |
 * | before the POST is sent      | nothing: no order, no credit    | orders it                                   |
 * | between POST and answer      | an order that the service has   | lists first, finds the order in the list,   |
 * |                              | or has not accepted             | and orders only if there is none            |
 * | after the answer             | an order that was accepted      | finds it                                    |
 *
 * The package stores nothing on disk, and no later run continues an order. The list that is read before each POST
 * prevents a second credit from being spent. A list may show an order only some seconds later, so a process sends no
 * order in its first 10 seconds (see `place`). In queue mode, another worker that was already running may look within
 * these seconds and order again: docs/agent-products.md says so. If an execution is stopped while a POST is under way, the process
 * remembers that the service may have accepted the order (see `lookAndPost`): neither n8n's own retries nor other
 * executions of the process then order again. An order that the service failed to fulfil (`ERROR`) does not prevent
 * the next run from ordering.
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
 * The result of an order: an activation that the order created (`own`), an activation that existed before (`existing`),
 * or the state of an existing activation that the service reports but does not list (`already`).
 */
export type OrderResult = { own: Activation } | { existing: Activation } | { already: Already };

/** An order in doubt, that is an order that the service may have accepted although no clear answer arrived. */
interface InDoubt {
	doubt: ServiceError;
}

/**
 * What an execution remembers of its order for one listing. The memory remains when n8n's “Retry On Fail” runs the
 * whole node again.
 */
export interface OrderMemory {
	/** The name of the order in messages: “Premium listing for listing 123”. */
	readonly name: string;
	/** The activations that the listing had before the POST was sent, as the keys of `activationKey`. */
	before?: ReadonlySet<string>;
	/** True if a POST of this order has reached the service, as far as the node knows. */
	isSent?: boolean;
	/**
	 * The failure after which it is not known whether the service accepted the order. The node never sends such an
	 * order again.
	 */
	doubt?: ServiceError;
	/** The activation that the POST created, in the state that the node read last. */
	made?: Activation;
}

/**
 * How long after a POST a list of the activations proves whether the service accepted the order. A list shows a new
 * activation only after some seconds.
 */
const SHOWN_AFTER_MS = 10 * SECOND_MS;

/**
 * How long after a POST a list of the activations proves whether the service accepted the order, if the answer to the
 * POST did not arrive in time. This wait is longer than after other POSTs, because the service may still be processing
 * the order.
 */
const LATE_SHOWN_AFTER_MS = 30 * SECOND_MS;

const NO_ANSWER = 'The answer to the order did not arrive';

/**
 * Orders a product for one listing, once. A POST spends the agency's money, and the API has no idempotency key. So the
 * node first lists the listing's activations and then posts. If no clear answer arrives, it lists them again and looks
 * for a new activation. It posts again only if the service certainly did not accept the order, and lists the
 * activations before that.
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
	 * Places the order, unless the listing has a current activation or an earlier try of this execution has placed it.
	 *
	 * @returns the activation in its current state, usually pending
	 * @throws ServiceError if there is no activation, or if it is not known whether there is one
	 */
	async place(): Promise<OrderResult> {
		const { memory, products } = this;
		if (memory.made) return { own: memory.made };
		if (memory.doubt) return await this.lookForOwn(memory.doubt);
		// An earlier process may have been killed just after it sent an order for this listing. A list shows that order
		// at the latest when this process has run for 10 seconds.
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

	/**
	 * Lists the listing's activations, and sends the order if there is no current one.
	 *
	 * @param other an earlier order for the same listing by another execution of this process
	 */
	private async lookAndPost(other?: OrderMemory): Promise<OrderResult | InDoubt> {
		const { memory, products } = this;
		const seen = await orFailure(this.look());
		if (seen instanceof ServiceError) throw this.notChecked(seen);
		const existing = this.currentIn(seen);
		if (existing) return { existing };
		if (other?.doubt) throw this.unknown(other.doubt).afterTries(0, 0);

		memory.before = new Set(seen.map(activationKey));
		// The order is noted as possibly accepted before the POST is sent, so that this is known even if the execution
		// is cancelled while the POST is under way.
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

	/**
	 * Looks for the activation that an order has created, if no clear answer showed whether the service accepted the
	 * order.
	 */
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
	 * Returns the activation that is listed now and was not listed before the order. It returns undefined if there are
	 * several, because the node cannot know which of them this order created.
	 */
	private onlyNewIn(seen: Activation[]): Activation | undefined {
		const { before = new Set() } = this.memory;
		const [first, ...others] = seen.filter((activation) => !before.has(activationKey(activation)));
		return others.length === 0 ? first : undefined;
	}

	/**
	 * Finds the activation because of which the service did not accept the order. If the list does not show it, the
	 * result is the state that the service's code reports; if no code does, the method throws.
	 */
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
	 * Lists the activations of the listing, newest first. By the API's contract, an activation names its listing only
	 * by the portal's ID. If the agency's own ID was asked for, the node can notice activations of other listings only
	 * if the list names several portal IDs.
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

	/** Makes the error for an order that the service certainly did not accept. */
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
			remedy: `${where}Check with “Get Many” in a few minutes. If it shows no activation of the listing, run the workflow again: the node checks first, and does not order again what the service shows.`,
			helpCode: 'orderUnknown',
		});
	}

	private named(error: ServiceError, why = error.message, more: FailureDetails = {}): ServiceError {
		return error.with(`${this.name}: ${why}`, { cost: this.cost, ...more });
	}

	/**
	 * The sentence that tells a person whether an order that was not accepted has cost a credit. The service does not
	 * report credits.
	 */
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
			remedy: 'Check with “Get Many” what the listing has, and “Products URL” in the credential.',
			helpCode: 'orderUnknown',
		},
	);
}

function othersListed(): ServiceError {
	return new ServiceError('foreign', 'The service lists activations of other listings as well', {
		remedy: `The node cannot tell which of them belong to this listing. Set “${LABELS.listingIdType}” to “${LABELS.portalListingId}”, and tell the operator of the service.`,
	});
}

/**
 * The last order of this process for each listing, kept until the service's lists show the activation that the order
 * created.
 */
const recentOrders = new Map<string, Promise<OrderMemory | undefined>>();

/**
 * Makes executions that order for the same listing take turns. If two of them listed its activations at the same
 * moment, both would find none, and the service might accept two orders. So each execution waits until the service's
 * lists show the activation that the execution before it created.
 *
 * @param work does the ordering; its argument is the previous order, which the service may or may not have accepted
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
