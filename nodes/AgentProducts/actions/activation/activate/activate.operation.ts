import partition from 'lodash/partition';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { SECOND_MS } from '../../../../../service/basics/times';
import { ServiceError } from '../../../../../service/failure';
import { isFailed } from '../../../../../service/products/activation';
import { CarefulOrder } from '../../../../../service/products/carefulOrder';
import type { Products } from '../../../../../service/products/products';
import { untilSettled } from '../../../../../service/products/settlement';
import { FieldError } from '../../../../common/fieldError';
import type { ItemOutcome } from '../../../../common/itemErrors';
import { described, toItemError } from '../../../../common/itemErrors';
import { readFlag, readRetryLimits, wholeNumber } from '../../../../common/readers';
import { productsFor } from '../../../productsFor';
import { DEFAULT_WAIT_S } from './activate.fields';
import type { Dropped, Ordered } from './attempts';
import { attemptAt, orderedBefore } from './attempts';
import { readOrder } from './readOrder';
import type { Sights, Task } from './tasks';
import {
	heedOpenOrders,
	hintsOn,
	inOrder,
	leftUndone,
	orderedBy,
	outputOf,
	paidFor,
	perhapsPaidFor,
	placedBefore,
	placeOrder,
	spared,
	waitsIn,
} from './tasks';

/**
 * Activates the listings of all input items, each once. Every item is checked before the first
 * order goes out; the orders go out one after the other; then all results are waited for together.
 *
 * @returns by input item: the activation and its outcome, or why there is none
 */
export async function activate(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	return await new ListingsToActivate(context).activate();
}

/** What a failure says of other orders: before their names, and after them. */
type Aside = readonly [title: string, advice: string];

const ORDERED_ONCE =
	'Check with Get Many what became of them: they are not ordered again, unless they have failed.';

const EARLIER: Aside = ['Ordered earlier in this step', ORDERED_ONCE];

const AS_WELL: Aside = ['Ordered in this step as well', ORDERED_ONCE];

const FAILED_EARLIER: Aside = [
	'Ordered earlier in this step, but not activated',
	'Ask the operator about these too.',
];

const NEITHER: Aside = ['Ordered, but not activated either', 'Ask the operator about these too.'];

const PERHAPS: Aside = [
	'May have been ordered earlier in this step',
	'Run again: the node checks first.',
];

/** The listings of all input items, and what becomes of them. */
class ListingsToActivate {
	/** By what tells the orders apart: whose they are, and of which listing. */
	private readonly tasks = new Map<string, Task>();

	/** One session for all that can share it: a token that one of them renews is there for the others. */
	private readonly accounts = new Map<string, Products>();

	/** By input item. */
	private readonly outcomes: ItemOutcome[] = [];

	/** What earlier tries of the step have ordered, and no item asks for any more. */
	private dropped: Dropped[] = [];

	constructor(private readonly context: IExecuteFunctions) {}

	async activate(): Promise<ItemOutcome[]> {
		const { context } = this;
		for (const itemIndex of context.getInputData().keys()) await this.read(itemIndex);
		const tasks = inOrder([...this.tasks.values()]);
		this.dropped = orderedBefore(
			context,
			tasks.map(({ order }) => order.attempt),
		);
		for (const task of tasks) await this.place(task, tasks);
		const sights = await untilSettled(waitsIn(tasks), context.getExecutionCancelSignal());
		await this.conclude(tasks, sights);
		for (const message of [...hintsOn(tasks, sights), ...earlierIn(this.dropped)]) {
			context.addExecutionHints?.({ message, location: 'outputPane' });
		}
		return this.outcomes;
	}

	private async read(itemIndex: number): Promise<void> {
		try {
			await this.addTask(itemIndex);
		} catch (error) {
			const before = orderedBefore(this.context);
			const isFirst = !before.some(({ made, isInDoubt }) => made ?? isInDoubt);
			const what = this.isAllThatIsSeen ? '' : ' for this item';
			this.fail([itemIndex], isFirst ? unspent(error, what) : withAsides(error, earlierIn(before)));
		}
	}

	private async addTask(itemIndex: number): Promise<void> {
		const { context, tasks } = this;
		const options = context.getNodeParameter('options', itemIndex, {});
		const limits = readRetryLimits(options);
		const waitMs = readWait(context, itemIndex, options);
		const order = readOrder(context, itemIndex);
		const products = await productsFor(context, itemIndex, limits);
		const key = JSON.stringify([products.identity, order.listing]);
		const attempt = attemptAt(
			context,
			products.orderOf(order.listing),
			JSON.stringify([itemIndex, products.lineFor(order.listing)]),
			{ name: products.nameOf(order.listing), listing: order.listing, shop: products.shop },
		);
		const known = tasks.get(key);
		if (known) {
			known.itemIndexes.push(itemIndex);
			return;
		}
		const shared = this.shared(JSON.stringify([products.identity, limits]), products);
		const careful = new CarefulOrder(shared, order, attempt);
		tasks.set(key, { order: careful, itemIndexes: [itemIndex], waitMs });
	}

	private shared(account: string, products: Products): Products {
		const known = this.accounts.get(account);
		if (!known) this.accounts.set(account, products);
		return known ?? products;
	}

	private async place(task: Task, tasks: Task[]): Promise<void> {
		task.placed = placedBefore(task, tasks);
		if (task.placed) return;
		heedOpenOrders(task, tasks, this.dropped);
		try {
			task.placed = await placeOrder(task);
		} catch (error) {
			const others = tasks.filter((other) => other !== task).map(orderedBy);
			const asides = () => [
				...earlierIn([...others, ...this.dropped]),
				...spared(tasks),
				...leftUndone(task, tasks, this.dropped),
			];
			this.fail(task.itemIndexes, this.isAllThatIsSeen ? withAsides(error, asides()) : error);
		}
	}

	private async conclude(tasks: Task[], sights: Sights): Promise<void> {
		const fulfilled: Task[] = [];
		const failed = new Map<Task, unknown>();
		for (const task of tasks) {
			if (!task.placed) continue;
			const outcome = await itemOutcomeOf(outputOf(task, task.placed, sights));
			for (const itemIndex of task.itemIndexes) this.outcomes[itemIndex] = outcome;
			if ('error' in outcome) failed.set(task, outcome.error);
			else fulfilled.push(task);
		}
		for (const [task, error] of failed) {
			const others = [...failed.keys()].filter(({ placed }) => placed !== task.placed);
			const asides = () => [
				...asideOf(paidFor(fulfilled.map(orderedBy)), AS_WELL),
				...asideOf(paidFor(others.map(orderedBy)), NEITHER),
				...asideOf(perhapsPaidFor([...fulfilled, ...others].map(orderedBy)), PERHAPS),
				...earlierIn(this.dropped),
				...spared(tasks),
			];
			const outcome = { error: this.isAllThatIsSeen ? withAsides(error, asides()) : error };
			for (const itemIndex of task.itemIndexes) this.outcomes[itemIndex] = outcome;
		}
	}

	/**
	 * Notes a failure for its items, or ends the step if it does not continue on an error: then no
	 * further order goes out.
	 */
	private fail(itemIndexes: number[], error: unknown): void {
		const { context } = this;
		for (const itemIndex of itemIndexes) {
			if (!context.continueOnFail()) throw toItemError(context.getNode(), error, itemIndex);
			this.outcomes[itemIndex] = { error };
		}
	}

	/** Whether a failure ends the step. Then it is all that a person sees, and names what else is paid for. */
	private get isAllThatIsSeen(): boolean {
		return !this.context.continueOnFail();
	}
}

/** What a person should know of orders of the step, of whatever became of them. */
function earlierIn(orders: Ordered[]): string[] {
	const [failed, others] = partition(orders, ({ made }) => made && isFailed(made));
	return [
		...asideOf(paidFor(others), EARLIER),
		...asideOf(paidFor(failed), FAILED_EARLIER),
		...asideOf(perhapsPaidFor(orders), PERHAPS),
	];
}

function asideOf(names: string[], [title, advice]: Aside): string[] {
	return names.length === 0 ? [] : [`${title}: ${names.join('; ')}. ${advice}`];
}

function withAsides(error: unknown, asides: string[]): unknown {
	return asides.reduce(withAside, error);
}

function withAside(error: unknown, aside: string): unknown {
	if (error instanceof ServiceError || error instanceof FieldError) return error.withAside(aside);
	return error instanceof Error ? described(error, aside) : error;
}

/** What is known of the credit if a field is wrong. */
function unspent(error: unknown, what: string): unknown {
	if (!(error instanceof FieldError)) return error;
	return error.withAside(`Nothing was ordered${what}.`);
}

async function itemOutcomeOf(output: Promise<IDataObject>): Promise<ItemOutcome> {
	try {
		return { json: await output };
	} catch (error) {
		return { error };
	}
}

/** @throws FieldError */
function readWait(
	context: IExecuteFunctions,
	itemIndex: number,
	{ waitTimeout = DEFAULT_WAIT_S }: IDataObject,
): number | undefined {
	const isWaiting: unknown = context.getNodeParameter('waitForResult', itemIndex, true);
	if (!readFlag('Wait for Result', isWaiting)) return undefined;
	return wholeNumber('Wait Timeout', waitTimeout, 0) * SECOND_MS;
}
