import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Made } from '../../../../service/activation';
import { OneActivation } from '../../../../service/activation';
import type { Wait } from '../../../../service/settlement';
import { untilSettled } from '../../../../service/settlement';
import type { ItemOutcome } from '../../../common/itemErrors';
import { toItemError } from '../../../common/itemErrors';
import { readLimits, wholeNumber } from '../../../common/parameters';
import { attemptAt } from '../../attempts';
import { readOrder } from '../../order';
import { productsFor } from '../../productsContext';

const DEFAULT_WAIT_S = 120;

/** One listing, and the items that want it activated. */
interface Task {
	one: OneActivation;
	itemIndexes: number[];
	/** How long to wait for the result, in milliseconds; undefined: not at all. */
	waitMs?: number;
	made?: Made;
	wait?: Wait;
}

/**
 * Activates the listings of all input items, each once. Every item is checked before the first
 * order goes out; the orders go out one after the other; then all results are waited for together.
 *
 * @returns by input item: the activation and its outcome, or why there is none
 */
export async function activate(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = [];
	const tasks = await readTasks(context, outcomes);
	for (const task of tasks) await order(context, task, outcomes);
	shareOwnership(tasks);
	const waits = tasks.flatMap(({ wait }) => wait ?? []);
	await untilSettled(waits, context.getExecutionCancelSignal());
	for (const task of tasks) await conclude(task, outcomes);
	hintAtRepeats(context, tasks);
	hintAtTroubles(context, tasks);
	return outcomes;
}

async function readTasks(context: IExecuteFunctions, outcomes: ItemOutcome[]): Promise<Task[]> {
	const tasks = new Map<string, Task>();
	for (const itemIndex of context.getInputData().keys()) {
		const [read] = await Promise.allSettled([addTask(context, itemIndex, tasks)]);
		if (read.status === 'rejected') fail(context, outcomes, [itemIndex], read.reason);
	}
	return [...tasks.values()];
}

async function addTask(
	context: IExecuteFunctions,
	itemIndex: number,
	tasks: Map<string, Task>,
): Promise<void> {
	const options = context.getNodeParameter('options', itemIndex, {});
	const waitMs = readWait(context, itemIndex, options);
	const wanted = readOrder(context, itemIndex);
	const products = await productsFor(context, itemIndex, readLimits(options));
	const key = JSON.stringify([products.identity, wanted.listing]);
	const known = tasks.get(key);
	if (known) {
		known.itemIndexes.push(itemIndex);
		return;
	}
	const one = new OneActivation(products, wanted, attemptAt(context, key));
	tasks.set(key, { one, itemIndexes: [itemIndex], waitMs });
}

async function order(
	context: IExecuteFunctions,
	task: Task,
	outcomes: ItemOutcome[],
): Promise<void> {
	const { one, waitMs } = task;
	const [outcome] = await Promise.allSettled([one.make()]);
	if (outcome.status === 'rejected') {
		fail(context, outcomes, task.itemIndexes, outcome.reason);
		return;
	}
	task.made = outcome.value;
	const { isOwn, activation } = task.made;
	if (!isOwn || !activation || waitMs === undefined) return;
	task.wait = { products: one.products, activation, deadline: Date.now() + waitMs };
}

/** Two IDs may name the same listing: then both tell of the one activation that this step made. */
function shareOwnership(tasks: Task[]): void {
	const owners = tasks.filter(({ made }) => made?.isOwn);
	for (const task of tasks) {
		const owner = owners.find(({ made }) => made?.activation?.id === task.made?.activation?.id);
		if (task.made?.isOwn !== false || !owner) continue;
		task.made = owner.made;
		task.wait = owner.wait;
	}
}

async function conclude(task: Task, outcomes: ItemOutcome[]): Promise<void> {
	if (!task.made) return;
	const settled = { ...task.made, ...(task.wait && { activation: task.wait.activation }) };
	const [concluded] = await Promise.allSettled([task.one.conclude(settled)]);
	if (concluded.status === 'rejected') {
		for (const itemIndex of task.itemIndexes) outcomes[itemIndex] = { error: concluded.reason };
		return;
	}
	const { activation, outcome } = concluded.value;
	const json: IDataObject = { ...(activation ?? task.one.order.listing), outcome };
	for (const itemIndex of task.itemIndexes) outcomes[itemIndex] = { json: { ...json } };
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

function hintAtRepeats(context: IExecuteFunctions, tasks: Task[]): void {
	for (const { one, itemIndexes, made } of tasks) {
		if (itemIndexes.length < 2 || !made) continue;
		const items = itemIndexes.map((itemIndex) => itemIndex + 1).join(', ');
		hint(
			context,
			`${one.name} was asked for by ${itemIndexes.length} items (${items}): it was ordered once, as the first of them says, and each of them has the result.`,
		);
	}
}

function hintAtTroubles(context: IExecuteFunctions, tasks: Task[]): void {
	for (const { one, wait } of tasks) {
		if (!wait?.trouble) continue;
		hint(
			context,
			`${one.name} was ordered, but its result could not be read: ${wait.trouble.message}. Use Get with its ID later.`,
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
	if (context.getNodeParameter('waitForResult', itemIndex, true) !== true) return undefined;
	return wholeNumber('Wait Timeout', waitTimeout, 0) * 1_000;
}
