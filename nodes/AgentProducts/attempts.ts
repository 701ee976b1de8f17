import type { IExecuteFunctions } from 'n8n-workflow';

import type { Attempt } from '../../service/activation';

/**
 * By execution. n8n's “Retry On Fail” runs the whole step again, for the items too that went well:
 * what they have activated is theirs, and what has failed at the service is not paid for again.
 */
const attempts = new WeakMap<AbortSignal, Map<string, Attempt>>();

/**
 * What this execution knows of an order of this step, to be filled in by whoever tries it. A loop's
 * next round is another step.
 *
 * @param order tells the orders of a step apart
 */
export function attemptAt(context: IExecuteFunctions, order: string): Attempt {
	const execution = context.getExecutionCancelSignal();
	if (!execution) return {};
	const known = attempts.get(execution) ?? new Map<string, Attempt>();
	attempts.set(execution, known);
	const round: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
	const key = JSON.stringify([context.getNode().name, round, order]);
	const attempt = known.get(key) ?? {};
	known.set(key, attempt);
	return attempt;
}
