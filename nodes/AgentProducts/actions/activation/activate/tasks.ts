import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import type { Made, OneActivation } from '../../../../../service/products/order';
import { idOf, listingOf } from '../../../../../service/products/products';
import type { Wait } from '../../../../../service/products/settlement';

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
	const { listing } = task.one.order;
	if (!('listingId' in listing)) return undefined;
	return sameAccount(task, tasks).find(({ placed }) => listingIn(placed) === listing.listingId)
		?.placed;
}

/**
 * An order by the agency's own ID of which nobody knows which listing it was of: it may have been of
 * the one that another task names by the service's ID.
 */
export function heedOpenOrders(task: Task, tasks: Task[]): void {
	if (!('listingId' in task.one.order.listing)) return;
	const open = sameAccount(task, tasks).filter(
		({ one, placed }) =>
			'customerListingId' in one.order.listing && listingIn(placed) === undefined,
	);
	const times = open.flatMap(({ one }) => one.mayBeTakenAt ?? []);
	if (times.length > 0) task.one.mayBeSentAt(Math.min(...times));
}

function sameAccount({ one: { products } }: Task, tasks: Task[]): Task[] {
	return tasks.filter(({ one }) => one.products.identity === products.identity);
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

/** What a task has made and paid for, with its ID where that is known. */
export function paidFor({ one, placed }: Task): string | undefined {
	if (!placed || !('own' in placed.made)) return undefined;
	const id = idOf(placed.made.own);
	return id === undefined ? one.name : `${one.name} (${id})`;
}

function listingIn(placed: Placed | undefined): number | undefined {
	if (!placed || 'already' in placed.made) return undefined;
	return listingOf('own' in placed.made ? placed.made.own : placed.made.existing);
}
