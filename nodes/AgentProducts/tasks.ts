import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import type { Made, OneActivation } from '../../service/activation';
import type { Wait } from '../../service/settlement';

/** One order, and the items that want it. */
export interface Task {
	one: OneActivation;
	itemIndexes: number[];
	/** How long to wait for the result, in milliseconds; undefined: not at all. */
	waitMs?: number;
	/** What the order came to, once it is placed. */
	placed?: Placed;
}

export interface Placed {
	made: Made;
	/** Where its result is waited for. */
	wait?: Wait;
}

/**
 * Orders by the agency's own IDs first: the answer to such a one tells which listing that is, so
 * that an order of it by the service's ID is known for the same.
 */
export function inOrder(tasks: Task[]): Task[] {
	return sortBy(tasks, ({ one }) => 'listingId' in one.order.listing);
}

/** @throws ServiceError */
export async function place({ one, waitMs }: Task): Promise<Placed> {
	const made = await one.make();
	if (!('own' in made) || waitMs === undefined) return { made };
	return { made, wait: { products: one.products, activation: made.own, waitMs } };
}

/** What was placed for the same listing under its other ID. */
export function placedBefore(task: Task, tasks: Task[]): Placed | undefined {
	const { products, order } = task.one;
	if (!('listingId' in order.listing)) return undefined;
	const { listingId } = order.listing;
	const twin = tasks.find(
		({ one, placed }) =>
			one.products.identity === products.identity && listingOf(placed) === listingId,
	);
	return twin?.placed;
}

/**
 * The output of a task: the activation and its outcome.
 *
 * @throws ServiceError where the service could not fulfil the order
 */
export async function outputOf({ one }: Task, { made, wait }: Placed): Promise<IDataObject> {
	const settled = wait ? { own: wait.activation } : made;
	const { activation, outcome } = await one.conclude(settled);
	// First for whoever reads it in n8n's table, and ours whatever else comes.
	return Object.assign({ outcome }, activation ?? one.order.listing, { outcome });
}

/** The ID of the activation that a task has made and paid for. */
export function paidFor({ placed }: Task): string | undefined {
	return placed && 'own' in placed.made ? placed.made.own.id : undefined;
}

function listingOf(placed: Placed | undefined): unknown {
	if (!placed || 'already' in placed.made) return undefined;
	const activation = 'own' in placed.made ? placed.made.own : placed.made.existing;
	return activation.listingId;
}
