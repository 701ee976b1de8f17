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

/** One order, and the input items that ask for it. */
interface Task {
	readonly order: Order;
	readonly itemIndexes: number[];
	/** The wait for the result, in milliseconds; unset for no wait. */
	readonly waitMs?: number;
	/** The result of the order, once it is placed. */
	result?: OrderResult;
}

/**
 * Activates the listings of all input items, each once. The node checks every item before the first order, sends the
 * orders one after the other, and then waits for all results together.
 *
 * @returns by input item: the activation and its outcome, or the failure
 */
export async function activate(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	return await new ListingsToActivate(context).activate();
}

/** The listings of all input items, with their orders and outcomes. */
class ListingsToActivate {
	/** The orders, by `Products.orderKey`. */
	private readonly tasks = new Map<string, Task>();

	/** The outcomes, by input item. */
	private readonly outcomes: ItemOutcome[] = [];

	/** True if the first item has a portal listing ID. */
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

	/** @throws FieldError, or ServiceError if the credential is incomplete */
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
	 * Refuses items with different types of listing ID. Nobody knows which portal ID belongs to an agency's own ID, so
	 * a listing that is given by both would be ordered twice.
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

	/** Waits until the activation that an order created is settled, or the time is over. */
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
		// `outcome` comes first, so that a person sees it first in n8n's table, and again last, so that no field of the
		// service replaces it.
		const json: IDataObject = Object.assign({ outcome }, activation ?? order.listing, { outcome });
		for (const itemIndex of itemIndexes) this.outcomes[itemIndex] = { json };
	}

	/** The sentence on the order if a field is wrong. All items are read before the first order is sent. */
	private nothingOrdered(error: unknown): string | undefined {
		if (!(error instanceof FieldError)) return undefined;
		// If the node continues on an error, other items may still be ordered.
		return this.context.continueOnFail()
			? 'The node sent no order for this item.'
			: 'Nothing was ordered.';
	}

	/**
	 * Notes a failure for its items, or ends the step if it does not continue on an error. No further order is sent
	 * then.
	 *
	 * @param own the memory of the order that failed, whose failure says what is known of it
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
