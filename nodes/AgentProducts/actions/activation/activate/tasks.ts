import difference from 'lodash/difference';
import differenceBy from 'lodash/differenceBy';
import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import type { Activation } from '../../../../../service/products/activation';
import { activationId, isFailed, listingOf } from '../../../../../service/products/activation';
import type { CarefulOrder, OrderResult } from '../../../../../service/products/carefulOrder';
import { concludeOrder, duplicateOf } from '../../../../../service/products/orderOutcome';
import { mayBeOfListing } from '../../../../../service/products/ownership';
import type { Listing } from '../../../../../service/products/products';
import type { Sight, Wait } from '../../../../../service/products/settlement';
import type { Dropped, Ordered } from './attempts';

/** One order, and the items that want it. */
export interface Task {
	readonly order: CarefulOrder;
	readonly itemIndexes: number[];
	/** How long to wait for the result, in milliseconds; undefined: not at all. */
	readonly waitMs?: number;
	/** What the order came to, once it is placed. */
	placed?: Placed;
}

export interface Placed {
	readonly result: OrderResult;
	/** If its result is waited for. */
	readonly wait?: Wait;
}

/** A hint that names hundreds is not read. */
const MOST_NAMED = 5;

/** How the results that are waited for were seen last. */
export type Sights = ReadonlyMap<Wait, Sight>;

/**
 * Orders by the agency's own IDs first: the answer to such a one tells which listing that is, so
 * that an order of it by the service's ID is known for the same.
 */
export function inOrder(tasks: Task[]): Task[] {
	return sortBy(tasks, ({ order }) => 'listingId' in order.listing);
}

/** @throws ServiceError */
export async function placeOrder(task: Task): Promise<Placed> {
	return placedAs(task, await task.order.make());
}

function placedAs({ order, waitMs }: Task, result: OrderResult): Placed {
	if (!('own' in result) || waitMs === undefined) return { result };
	const { products, listing } = order;
	return { result, wait: { products, listing, activation: result.own, waitMs } };
}

/** What was placed for the same listing under its other ID; for all of them its own, if its POST in doubt has made that. */
export function placedBefore(task: Task, tasks: Task[]): Placed | undefined {
	const { listing } = task.order;
	if (!('listingId' in listing) || task.order.made) return undefined;
	const same = ofSameShop(task, tasks).filter(
		({ placed }) => listingIn(placed) === listing.listingId,
	);
	const finder = same.find(({ placed }) => placed && !isLeftToFailed(placed));
	if (!finder?.placed) return undefined;
	const { placed } = finder;
	const own = task.order.claim(placed.result, finder.order);
	if (!own) return placed;
	const mine = placedAs(task, { own });
	for (const other of same) if (other.placed === placed) other.placed = mine;
	return mine;
}

/** Whether an order was only pointed to what has failed, which is in nobody’s way. */
function isLeftToFailed({ result }: Placed): boolean {
	return 'existing' in result && isFailed(result.existing);
}

/**
 * Nobody knows of which listing an order by the agency's own ID is, until an answer tells: it may be of the one that
 * another task names by the service's ID. With “Retry On Fail” either may have been ordered first. Nor whether two of its
 * own IDs that differ in capitals are two.
 *
 * @param dropped what earlier tries have ordered, and no task is for any more
 */
export function heedOpenOrders(task: Task, tasks: Task[], dropped: Dropped[]): void {
	const { listing, products } = task.order;
	const open = ofSameShop(task, tasks)
		.filter((other) => other !== task)
		.filter(({ order, placed }) => mayBeSame(listing, order.listing, listingIn(placed)));
	const gone = dropped
		.filter(({ shop }) => shop === products.shop)
		.filter((other) => mayBeSame(listing, other.listing))
		.filter(({ made = {} }) => mayBeOfListing(made, listing));
	task.order.heed([...open.map(({ order }) => order), ...gone]);
}

/** @param known the service's ID of the other listing, if an answer has told it */
function mayBeSame(one: Listing, other: Listing, known?: number): boolean {
	const [spelling, otherSpelling] = [one, other].map(spellingOf);
	if (spelling !== undefined && otherSpelling !== undefined) return otherSpelling === spelling;
	return otherSpelling !== spelling && known === undefined;
}

/** The agency's own ID of a listing, without what somebody may write in two ways. */
function spellingOf(listing: Listing): string | undefined {
	return 'customerListingId' in listing
		? listing.customerListingId.normalize('NFKC').toLowerCase()
		: undefined;
}

function ofSameShop({ order: { products } }: Task, tasks: Task[]): Task[] {
	return tasks.filter(({ order }) => order.products.shop === products.shop);
}

/** Each once: orders of one listing by its two IDs share theirs. */
export function waitsIn(tasks: Task[]): Wait[] {
	return [...new Set(tasks.flatMap(({ placed }) => placed?.wait ?? []))];
}

function sightOf(placed: Placed | undefined, sights: Sights): Sight | undefined {
	return placed?.wait && sights.get(placed.wait);
}

/**
 * The output of a task: the activation and its outcome.
 *
 * @throws ServiceError if the service could not fulfil the order
 */
export async function outputOf(
	{ order }: Task,
	placed: Placed,
	sights: Sights,
): Promise<IDataObject> {
	const sight = sightOf(placed, sights);
	const result = sight ? { own: sight.activation } : placed.result;
	const { activation, outcome } = await concludeOrder(order, result);
	// First for whoever reads it in n8n's table, and ours whatever else comes.
	return Object.assign({ outcome }, activation ?? order.listing, { outcome });
}

export function orderedBy(task: Task): Ordered {
	const { name, isSent, mayBeTakenAt } = task.order;
	const made = activationOf(task);
	return { name, made, isInDoubt: !made && isSent && mayBeTakenAt !== undefined };
}

/** What was paid for, each with its ID if that is known. */
export function paidFor(orders: Ordered[]): string[] {
	return uniq(orders.filter(({ made }) => made).map(nameWithId));
}

function nameWithId({ name, made = {} }: Pick<Ordered, 'name' | 'made'>): string {
	const id = activationId(made);
	return id === undefined ? name : `${name} (${id})`;
}

/** What may have been paid for. */
export function perhapsPaidFor(orders: Ordered[]): string[] {
	return uniq(orders.filter(({ isInDoubt }) => isInDoubt).map(({ name }) => name));
}

function activationOf({ order, placed }: Task): Activation | undefined {
	return placed && 'own' in placed.result ? placed.result.own : order.made;
}

/** What a person should know although nothing failed. */
export function hintsOn(tasks: Task[], sights: Sights): string[] {
	const repeats = tasks.flatMap(({ order, itemIndexes, placed }) => {
		if (itemIndexes.length < 2 || !placed) return [];
		return `${order.name}: ${itemIndexes.length} items asked for it. It was ordered at most once, with the settings of the first item, and all of them show the same result.`;
	});
	const troubles = tasks.flatMap(({ order, placed }) => {
		const { trouble } = sightOf(placed, sights) ?? {};
		if (!trouble) return [];
		return `${order.name} was ordered, but its result could not be read: ${trouble.message}. Use Get with its ID later.`;
	});
	const inVain = tasks.flatMap(({ order, placed }) => {
		const own = ownAsSeen(placed, sights);
		if (!own || !duplicateOf(own)) return [];
		const name = nameWithId({ name: order.name, made: own });
		return `${name} was ordered, and failed because the listing had one already. Ask the operator of the service whether a credit was spent.`;
	});
	return [...repeats, ...spared(tasks), ...inVain, ...troubles];
}

/** What an order has made, as it was seen last. */
function ownAsSeen(placed: Placed | undefined, sights: Sights): Activation | undefined {
	if (!placed || !('own' in placed.result)) return undefined;
	return sightOf(placed, sights)?.activation ?? placed.result.own;
}

/** Whoever reads “already…” asks about the credit first. */
export function spared(tasks: Task[]): string[] {
	const isFree = ({ order, placed }: Task) => !(placed && 'own' in placed.result) && order.isUnpaid;
	const [free, others] = partition(
		tasks.filter(({ placed }) => placed),
		isFree,
	);
	const names = unsentNames(uniqBy(differenceBy(free, others, 'placed'), 'placed'), tasks);
	if (names.length === 0) return [];
	return [
		`This run spent no credit on what was there already or ordered earlier: ${someOf(names)}.`,
	];
}

/** The names of some tasks, but for those under which another credential has ordered. */
function unsentNames(some: Task[], all: Task[]): string[] {
	return difference(namesOf(some), namesOf(all.filter(({ order }) => order.isSent)));
}

function namesOf(tasks: Task[]): string[] {
	return tasks.map(({ order }) => order.name);
}

function someOf(names: string[]): string {
	const more = names.length - MOST_NAMED;
	return names.slice(0, MOST_NAMED).join('; ') + (more > 0 ? ` and ${more} more` : '');
}

/** What a step that ends here leaves undone. */
export function leftUndone(failed: Task, tasks: Task[], dropped: Dropped[]): string[] {
	const rest = tasks.slice(tasks.indexOf(failed) + 1);
	for (const task of rest) heedOpenOrders(task, tasks, dropped);
	const left = rest.filter(
		(task) => task.order.isUnpaid && !task.order.made && !placedBefore(task, tasks),
	);
	const names = unsentNames(left, tasks);
	return names.length === 0 ? [] : [`No order was sent for these: ${someOf(names)}.`];
}

function listingIn(placed: Placed | undefined): number | undefined {
	if (!placed || 'already' in placed.result) return undefined;
	const { result } = placed;
	return listingOf('own' in result ? result.own : result.existing);
}
