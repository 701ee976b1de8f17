import type { IExecuteFunctions } from 'n8n-workflow';

import type { Attempt } from '../../../../../service/products/order';

/** The orders of a step in one round of a loop. */
interface Round {
	index: unknown;
	attempts: Map<string, Attempt>;
}

/**
 * By execution and step. n8n's “Retry On Fail” runs the whole step again, for the items too that
 * went well: what they have activated is theirs, and what has failed at the service is not paid for
 * again.
 */
const rounds = new WeakMap<AbortSignal, Map<string, Round>>();

/**
 * What this execution knows of an order of this step, to be filled in by whoever tries it. A loop's
 * next round is another step.
 *
 * @param order tells the orders of a step apart
 */
export function attemptAt(context: IExecuteFunctions, order: string): Attempt {
	const { attempts } = roundOf(context);
	const attempt = attempts.get(order) ?? {};
	attempts.set(order, attempt);
	return attempt;
}

function roundOf(context: IExecuteFunctions): Round {
	const index: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
	const execution = context.getExecutionCancelSignal();
	if (!execution) return { index, attempts: new Map() };
	const steps = rounds.get(execution) ?? new Map<string, Round>();
	rounds.set(execution, steps);
	const { name } = context.getNode();
	const known = steps.get(name);
	if (known && known.index === index) return known;
	const round: Round = { index, attempts: new Map() };
	steps.set(name, round);
	return round;
}
