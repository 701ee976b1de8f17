import uniqBy from 'lodash/uniqBy';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { Activation } from '../../../../../service/products/activation';
import type { Attempt } from '../../../../../service/products/attempt';
import { isPerhapsTaken } from '../../../../../service/products/attempt';
import type { Listing } from '../../../../../service/products/products';

/** An order as people and other orders know it. */
interface NamedOrder {
	/** “Premium listing for listing 123”. */
	readonly name: string;
	readonly listing: Listing;
	/** See `Products.shop`. */
	readonly shop: string;
}

interface NamedAttempt extends NamedOrder {
	readonly attempt: Attempt;
}

/** What this execution has ordered; with “Retry On Fail”, before this try too. */
export interface Ordered {
	readonly name: string;
	/** What it has made and paid for, if that is known. */
	readonly made?: Activation;
	/** Whether the service may have taken it, and nobody knows. */
	readonly isInDoubt: boolean;
}

/** The same of an earlier try, as other orders have to know it. */
export type Dropped = Ordered & NamedAttempt;

/** The orders of a node in one round of a loop. */
interface Round {
	index: unknown;
	attempts: Map<string, NamedAttempt>;
	/** By the item that they were for, and its listing. */
	byItem: Map<string, Attempt>;
}

/**
 * By execution and node. n8n's “Retry On Fail” runs the whole node again, even for items that went
 * well: what they have activated is theirs, and what has failed at the service is not paid for again.
 *
 * n8n keeps one cancel signal for all tries of an execution, and no other execution has it: it stands
 * for the execution, and what is kept under it goes with it.
 */
const roundsByExecution = new WeakMap<AbortSignal, Map<string, Round>>();

/**
 * What this execution knows of an order of this node, to be filled in by whoever tries it. A loop's
 * next round starts from nothing.
 *
 * @param order tells the orders of a node apart
 * @param item the item that it is for, and its listing: its credential may be another one by the next try
 */
export function attemptAt(
	context: IExecuteFunctions,
	order: string,
	item: string,
	named: NamedOrder,
): Attempt {
	const { attempts, byItem } = roundOf(context);
	const attempt = attempts.get(order)?.attempt ?? byItem.get(item) ?? {};
	attempts.set(order, { ...named, attempt });
	byItem.set(item, attempt);
	return attempt;
}

/**
 * What this node has ordered in earlier tries of this execution.
 *
 * @param known what is told elsewhere
 */
export function orderedBefore(context: IExecuteFunctions, known: Attempt[] = []): Dropped[] {
	const all = uniqBy([...roundOf(context).attempts.values()], 'attempt');
	return all
		.filter(({ attempt }) => !known.includes(attempt))
		.map(({ attempt, ...named }) => {
			const { made } = attempt;
			return { ...named, attempt, made, isInDoubt: !made && isPerhapsTaken(attempt) };
		});
}

function roundOf(context: IExecuteFunctions): Round {
	const index: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
	const execution = context.getExecutionCancelSignal();
	if (!execution) return { index, attempts: new Map(), byItem: new Map() };
	const rounds = roundsByExecution.get(execution) ?? new Map<string, Round>();
	roundsByExecution.set(execution, rounds);
	const { name } = context.getNode();
	const known = rounds.get(name);
	if (known && known.index === index) return known;
	const round: Round = { index, attempts: new Map(), byItem: new Map() };
	rounds.set(name, round);
	return round;
}
