import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { SECOND_MS } from '../../../../../service/basics/times';
import { ServiceError } from '../../../../../service/failure';
import { LABELS } from '../../../../../service/products/labels';
import type { OrderMemory, OrderResult } from '../../../../../service/products/order';
import { Order } from '../../../../../service/products/order';
import type { Listing } from '../../../../../service/products/products';
import { conclude, duplicateOf, untilSettled } from '../../../../../service/products/settle';
import { FieldError } from '../../../../common/fieldError';
import type { ItemOutcome } from '../../../../common/itemErrors';
import { described, toItemError } from '../../../../common/itemErrors';
import { readFlag, wholeNumber } from '../../../../common/readers';
import { productsFor } from '../../../productsFor';
import { DEFAULT_WAIT_S } from './activate.fields';
import { orderedSoFar, ordersOf, withId } from './memory';
import { readOrder } from './readOrder';

/** One order of a product for a listing, together with all input items that ask for it. */
interface Task {
	readonly order: Order;
	readonly itemIndexes: number[];
	/** How long to wait until the service has processed the order, in milliseconds; unset if the node does not wait. */
	readonly waitMs?: number;
	/** The result of the order; unset until the node has placed it. */
	result?: OrderResult;
}

/**
 * Orders the product for the listings that the input items name, each listing once. The node checks every item before
 * it sends the first order, sends the orders one after the other, and then waits for all results together.
 *
 * @returns one entry for each input item: the activation with its outcome, or the error
 */
export async function activate(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	return await new ListingsToActivate(context).activate();
}

/** The listings that the input items name, with the order for each listing and the outcome of each item. */
class ListingsToActivate {
	/**
	 * The orders, by the key that `Products.orderKey` makes. Items that name the same listing have the same key, and
	 * share one order.
	 */
	private readonly tasks = new Map<string, Task>();

	/** The outcome of each input item, by the index of the item. */
	private readonly outcomes: ItemOutcome[] = [];

	/** True if the first input item names its listing by the portal's ID, false if by the agency's own ID. */
	private isPortalId?: boolean;

	private readonly orders: Map<string, OrderMemory>;

	constructor(private readonly context: IExecuteFunctions) {
		this.orders = ordersOf(context);
	}

	async activate(): Promise<ItemOutcome[]> {
		for (const itemIndex of this.context.getInputData().keys()) {
			await this.orFail([itemIndex], async () => await this.read(itemIndex));
		}
		const tasks = [...this.tasks.values()];
		for (const task of tasks) {
			const place = async () => (task.result = await task.order.place());
			await this.orFail(task.itemIndexes, place, task.order.memory);
		}
		await Promise.all(tasks.map(async (task) => await this.settle(task)));
		for (const task of tasks) {
			await this.orFail(task.itemIndexes, () => this.conclude(task), task.order.memory);
		}
		return this.outcomes;
	}

	/**
	 * Reads the order that an input item asks for. If an earlier item names the same listing, both items share the
	 * order of the earlier one.
	 *
	 * @throws FieldError, or ServiceError if the credential is incomplete
	 */
	private async read(itemIndex: number): Promise<void> {
		const { context, orders, tasks } = this;
		const waitMs = readWait(context, itemIndex);
		const request = readOrder(context, itemIndex);
		this.expectOneIdType(request.listing);
		const products = await productsFor(context, itemIndex);
		const key = products.orderKey(request.listing);
		const memory = orders.get(key) ?? { name: products.nameOf(request.listing) };
		const order = new Order(products, request, memory);
		const task: Task = tasks.get(key) ?? { order, itemIndexes: [], waitMs };
		task.itemIndexes.push(itemIndex);
		orders.set(key, memory);
		tasks.set(key, task);
	}

	/**
	 * Refuses items whose listing IDs are of different types. The node cannot know which portal ID belongs to an
	 * agency's own ID, so it would order twice for a listing that one item names by the portal's ID and another by the
	 * agency's.
	 */
	private expectOneIdType(listing: Listing): void {
		const isPortalId = 'listingId' in listing;
		this.isPortalId ??= isPortalId;
		if (isPortalId === this.isPortalId) return;
		throw new FieldError(
			LABELS.listingIdType,
			'must be the same for all items',
			'Use one node for the items with a portal listing ID, and another node for those with an ID from your own software.',
		);
	}

	/**
	 * Waits until the service has processed the activation that an order created, or until the wait timeout is over.
	 */
	private async settle(task: Task): Promise<void> {
		const { order, waitMs, result } = task;
		if (!result || !('own' in result)) return;
		const activation =
			waitMs === undefined ? result.own : await untilSettled(order, result.own, waitMs);
		order.memory.made = activation;
		task.result = { own: activation };
		if (duplicateOf(activation)) {
			this.context.addExecutionHints?.({
				message: `${withId(order.name, activation)} was ordered, and failed because the listing had one already. Ask the operator of the service whether a credit was spent.`,
				location: 'outputPane',
			});
		}
	}

	private conclude({ order, result, itemIndexes }: Task): void {
		if (!result) return;
		const { activation, outcome } = conclude(order, result);
		// `outcome` is the first field of an output item, so that it comes first in n8n's table. It is set again at the
		// end, so that a field of the same name in the service's activation does not replace it.
		const json: IDataObject = Object.assign({ outcome }, activation ?? order.listing, { outcome });
		for (const itemIndex of itemIndexes) this.outcomes[itemIndex] = { json };
	}

	/**
	 * Returns the sentence that tells a person that nothing was ordered; undefined if the error is not about a field.
	 * The node reads the fields of all items before it sends the first order.
	 */
	private nothingOrdered(error: unknown): string | undefined {
		if (!(error instanceof FieldError)) return undefined;
		// If the node continues after an error, it may still send orders for other items, so the sentence is only about
		// this item.
		return this.context.continueOnFail()
			? 'The node sent no order for this item.'
			: 'Nothing was ordered.';
	}

	/**
	 * Does a piece of work for some input items. If it fails, the error becomes the outcome of these items. If the node
	 * does not continue after an error, the method throws the error instead, and the node sends no further order.
	 *
	 * @param own what the execution remembers of the order that the work belongs to; a thrown error lists the orders that
	 * were sent before, without this one
	 * @throws NodeApiError or NodeOperationError if the node does not continue after an error
	 */
	private async orFail(
		itemIndexes: number[],
		work: () => unknown,
		own?: OrderMemory,
	): Promise<void> {
		const { context, orders, outcomes } = this;
		try {
			await work();
		} catch (error) {
			const others = [...orders.values()].filter((memory) => memory !== own);
			const noted = withNote(error, orderedSoFar(others) ?? this.nothingOrdered(error));
			for (const itemIndex of itemIndexes) {
				if (!context.continueOnFail()) throw toItemError(context.getNode(), noted, itemIndex);
				outcomes[itemIndex] = { error: noted };
			}
		}
	}
}

function withNote(error: unknown, note: string | undefined): unknown {
	if (note === undefined) return error;
	if (error instanceof ServiceError || error instanceof FieldError) return error.withNote(note);
	return error instanceof Error ? described(error, note) : error;
}

/** @throws FieldError */
function readWait(context: IExecuteFunctions, itemIndex: number): number | undefined {
	const isWaiting: unknown = context.getNodeParameter('waitForResult', itemIndex, true);
	if (!readFlag('Wait for Result', isWaiting)) return undefined;
	const path = 'options.waitTimeout';
	const seconds: unknown = context.getNodeParameter(path, itemIndex, DEFAULT_WAIT_S);
	return wholeNumber('Wait Timeout', seconds, 0) * SECOND_MS;
}
