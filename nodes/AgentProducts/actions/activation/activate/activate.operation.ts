import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { OneActivation } from '../../../../../service/products/order';
import { ServiceError } from '../../../../../service/failure';
import type { Products } from '../../../../../service/products/products';
import { untilSettled } from '../../../../../service/products/settlement';
import type { ItemOutcome } from '../../../../common/itemErrors';
import { toItemError } from '../../../../common/itemErrors';
import { readFlag, readRetryLimits, wholeNumber } from '../../../../common/readers';
import { attemptAt } from './attempts';
import { readOrder } from './readOrder';
import { productsFor } from '../../../readers';
import type { Task } from './tasks';
import { heedOpenOrders, inOrder, outputOf, paidFor, place, placedBefore } from './tasks';

const DEFAULT_WAIT_S = 120;

/**
 * Activates the listings of all input items, each once. Every item is checked before the first
 * order goes out; the orders go out one after the other; then all results are waited for together.
 *
 * @returns by input item: the activation and its outcome, or why there is none
 */
export async function activate(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = [];
	const tasks = await readTasks(context, outcomes);
	await placeAll(context, tasks, outcomes);
	const waits = new Set(tasks.flatMap(({ placed }) => placed?.wait ?? []));
	await untilSettled([...waits], context.getExecutionCancelSignal());
	for (const task of tasks) await conclude(task, outcomes);
	hintAtRepeats(context, tasks);
	hintAtTroubles(context, tasks);
	return outcomes;
}

async function readTasks(context: IExecuteFunctions, outcomes: ItemOutcome[]): Promise<Task[]> {
	const tasks = new Map<string, Task>();
	const sessions = new Map<string, Products>();
	for (const itemIndex of context.getInputData().keys()) {
		const [read] = await Promise.allSettled([addTask(context, itemIndex, tasks, sessions)]);
		if (read.status === 'rejected') fail(context, outcomes, [itemIndex], read.reason);
	}
	return inOrder([...tasks.values()]);
}

async function addTask(
	context: IExecuteFunctions,
	itemIndex: number,
	tasks: Map<string, Task>,
	sessions: Map<string, Products>,
): Promise<void> {
	const options = context.getNodeParameter('options', itemIndex, {});
	const limits = readRetryLimits(options);
	const waitMs = readWait(context, itemIndex, options);
	const order = readOrder(context, itemIndex);
	const own = await productsFor(context, itemIndex, limits);
	const key = JSON.stringify([own.identity, order.listing]);
	const known = tasks.get(key);
	if (known) {
		known.itemIndexes.push(itemIndex);
		return;
	}
	// One session for all that can share it: a token that one of them renews is there for the others.
	const account = JSON.stringify([own.identity, limits]);
	const products = sessions.get(account) ?? own;
	sessions.set(account, products);
	const one = new OneActivation(products, order, attemptAt(context, key));
	tasks.set(key, { one, itemIndexes: [itemIndex], waitMs });
}

async function placeAll(
	context: IExecuteFunctions,
	tasks: Task[],
	outcomes: ItemOutcome[],
): Promise<void> {
	for (const task of tasks) {
		task.placed = placedBefore(task, tasks);
		if (task.placed) continue;
		heedOpenOrders(task, tasks);
		const [outcome] = await Promise.allSettled([place(task)]);
		if (outcome.status === 'fulfilled') task.placed = outcome.value;
		else fail(context, outcomes, task.itemIndexes, withPaidFor(context, outcome.reason, tasks));
	}
}

async function conclude(task: Task, outcomes: ItemOutcome[]): Promise<void> {
	if (!task.placed) return;
	const [output] = await Promise.allSettled([outputOf(task, task.placed)]);
	for (const itemIndex of task.itemIndexes) {
		outcomes[itemIndex] =
			output.status === 'fulfilled' ? { json: { ...output.value } } : { error: output.reason };
	}
}

/**
 * Notes a failure for its items, or ends the step where it does not continue on an error: then no
 * further order goes out.
 */
function fail(
	context: IExecuteFunctions,
	outcomes: ItemOutcome[],
	itemIndexes: number[],
	error: unknown,
): void {
	for (const itemIndex of itemIndexes) {
		if (!context.continueOnFail()) throw toItemError(context.getNode(), error, itemIndex);
		outcomes[itemIndex] = { error };
	}
}

/** Where a failure ends the step, it is all that comes out: it names what is paid for already. */
function withPaidFor(context: IExecuteFunctions, error: unknown, tasks: Task[]): unknown {
	const paid = tasks.flatMap((task) => paidFor(task) ?? []);
	if (!(error instanceof ServiceError) || context.continueOnFail() || paid.length === 0) {
		return error;
	}
	return error.with(error.message, {
		aside: `Ordered before that in this step: ${paid.join('; ')}. They are not ordered again.`,
	});
}

function hintAtRepeats(context: IExecuteFunctions, tasks: Task[]): void {
	for (const { one, itemIndexes, placed } of tasks) {
		if (itemIndexes.length < 2 || !placed) continue;
		const items = itemIndexes.map((itemIndex) => itemIndex + 1).join(', ');
		hint(
			context,
			`${one.name} was asked for by ${itemIndexes.length} items (${items}): it was ordered once at most, as the first of them says, and each of them has the result.`,
		);
	}
}

function hintAtTroubles(context: IExecuteFunctions, tasks: Task[]): void {
	for (const { one, placed } of tasks) {
		if (!placed?.wait?.trouble) continue;
		hint(
			context,
			`${one.name} was ordered, but its result could not be read: ${placed.wait.trouble.message}. Use Get with its ID later.`,
		);
	}
}

function hint(context: IExecuteFunctions, message: string): void {
	context.addExecutionHints?.({ message, location: 'outputPane' });
}

/** @throws FieldError */
function readWait(
	context: IExecuteFunctions,
	itemIndex: number,
	{ waitTimeout = DEFAULT_WAIT_S }: IDataObject,
): number | undefined {
	const isWaiting: unknown = context.getNodeParameter('waitForResult', itemIndex, true);
	if (!readFlag('Wait for Result', isWaiting)) return undefined;
	return wholeNumber('Wait Timeout', waitTimeout, 0) * 1_000;
}
