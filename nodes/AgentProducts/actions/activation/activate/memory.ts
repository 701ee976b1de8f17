import type { IExecuteFunctions } from 'n8n-workflow';

import type { Activation } from '../../../../../service/products/activation';
import { activationId } from '../../../../../service/products/activation';
import type { OrderMemory } from '../../../../../service/products/order';

/**
 * The orders of each execution, by listing. n8n keeps one cancel signal for all nodes and tries of an execution, and
 * each execution has another one: the signal stands for the execution, and its orders are forgotten with it.
 */
const ordersByExecution = new WeakMap<AbortSignal, Map<string, OrderMemory>>();

/** The orders of this execution by `Products.orderKey`, from all its nodes and tries. */
export function ordersOf(context: IExecuteFunctions): Map<string, OrderMemory> {
	const execution = context.getExecutionCancelSignal();
	const known = execution && ordersByExecution.get(execution);
	const orders = known ?? new Map<string, OrderMemory>();
	if (execution) ordersByExecution.set(execution, orders);
	return orders;
}

/** The orders that were placed, in one line; undefined if there are none. */
export function orderedSoFar(orders: Iterable<OrderMemory>): string | undefined {
	const names = [...orders].flatMap(({ name, made, doubt }) => {
		if (made) return withId(name, made);
		return doubt ? `${name} (in doubt)` : [];
	});
	return names.length > 0 ? `Ordered in this run so far: ${names.join('; ')}.` : undefined;
}

/** The name of an order, and the ID of its activation if that is known. */
export function withId(name: string, activation: Activation): string {
	const id = activationId(activation);
	return id === undefined ? name : `${name} (${id})`;
}
