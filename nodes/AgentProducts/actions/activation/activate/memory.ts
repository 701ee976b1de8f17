import type { IExecuteFunctions } from 'n8n-workflow';

import type { Activation } from '../../../../../service/products/activation';
import { activationId } from '../../../../../service/products/activation';
import type { OrderMemory } from '../../../../../service/products/order';

/**
 * The orders of each execution, by listing. n8n creates one cancel signal for each execution and gives it to all nodes,
 * also when it retries a node, so the signal identifies the execution. When n8n drops the signal, the orders are
 * forgotten.
 */
const ordersByExecution = new WeakMap<AbortSignal, Map<string, OrderMemory>>();

/**
 * Returns the orders that an execution has made so far, in all its nodes and their retries, by the key of
 * `Products.orderKey`.
 */
export function ordersOf(context: IExecuteFunctions): Map<string, OrderMemory> {
	const execution = context.getExecutionCancelSignal();
	const known = execution && ordersByExecution.get(execution);
	const orders = known ?? new Map<string, OrderMemory>();
	if (execution) ordersByExecution.set(execution, orders);
	return orders;
}

/**
 * Returns a line that names the orders that were placed, or that the service may have accepted; undefined if there are
 * none.
 */
export function orderedSoFar(orders: Iterable<OrderMemory>): string | undefined {
	const names = [...orders].flatMap(({ name, made, doubt }) => {
		if (made) return withId(name, made);
		return doubt ? `${name} (in doubt)` : [];
	});
	return names.length > 0 ? `Ordered in this run so far: ${names.join('; ')}.` : undefined;
}

/** Makes the name of an order for messages, with the ID of its activation if the ID is known. */
export function withId(name: string, activation: Activation): string {
	const id = activationId(activation);
	return id === undefined ? name : `${name} (${id})`;
}
