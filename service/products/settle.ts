import { SECOND_MS } from '../basics/times';
import { ServiceError } from '../failure';
import type { Activation } from './activation';
import { activationId, codesOf, errorsIn, isFailed, isPending, resultOf } from './activation';
import type { Already } from './codes';
import { duplicateIn } from './codes';
import type { Order, OrderResult } from './order';
import { activationFailure, orUnavailable } from './products';

const FIRST_PAUSE_MS = SECOND_MS / 2;
const LONGEST_PAUSE_MS = 15 * SECOND_MS;

/** How long the last read of a pending activation may take after the wait for it is over, in milliseconds. */
const LAST_LOOK_MS = 5 * SECOND_MS;

/**
 * Reads a pending activation again and again, with growing pauses, until the service has processed it or the time is
 * over. A failed read does not end the wait with an error, because the order is placed and may have cost a credit.
 *
 * @throws the abort reason if the execution is cancelled
 */
export async function untilSettled(
	{ products }: Order,
	ordered: Activation,
	waitMs: number,
): Promise<Activation> {
	let seen = ordered;
	const id = activationId(ordered);
	if (id === undefined) return seen;
	const end = performance.now() + waitMs;
	const deadline = Date.now() + waitMs + LAST_LOOK_MS;
	for (let step = FIRST_PAUSE_MS; isPending(seen); step *= 2) {
		const leftMs = end - performance.now();
		const dueMs = Math.min(step, LONGEST_PAUSE_MS);
		await products.session.pause(Math.min(dueMs, leftMs));
		const look = await orUnavailable(products.activation(id, { deadline }), products.session);
		if (!(look instanceof ServiceError)) seen = { ...look, id };
		if (dueMs >= leftMs) break;
	}
	return seen;
}

/**
 * The outcome of an order. `activated`, `pending` and `scheduled` are states of an activation that this order created.
 */
export type Outcome = 'activated' | 'pending' | 'scheduled' | Already;

export interface Conclusion {
	/** The activation; undefined if the service reports that it exists but does not send it. */
	activation?: Activation;
	outcome: Outcome;
}

/**
 * Derives the outcome of an order that the service has processed. If the order failed because the listing has another
 * activation, the outcome is the state of that activation.
 *
 * @throws ServiceError of kind `failed` for the results ERROR and DEACTIVATED
 */
export function conclude(order: Order, result: OrderResult): Conclusion {
	if ('already' in result) return { outcome: result.already };
	if ('existing' in result) {
		const { existing } = result;
		const { there = 'alreadyPending' } = OUTCOMES.get(resultOf(existing)) ?? {};
		return { activation: existing, outcome: there };
	}
	const { own } = result;
	const duplicate = duplicateOf(own);
	if (duplicate) return { outcome: duplicate };
	if (!isFailed(own))
		return { activation: own, outcome: OUTCOMES.get(resultOf(own))?.made ?? 'pending' };
	const failure = activationFailure(order.products, own);
	throw failure.with(`${order.name} was ordered, but not activated: ${failure.message}`, {});
}

/** Returns the state of the listing's other activation, if an activation failed because there is another one. */
export function duplicateOf(own: Activation): Already | undefined {
	return resultOf(own) === 'ERROR' ? duplicateIn(codesOf(errorsIn(own.status))) : undefined;
}

/**
 * The outcomes for each result of the service: `made` if the order created the activation, `there` if the activation
 * existed before.
 */
const OUTCOMES = new Map<string, { made: Outcome; there: Already }>([
	['ACTIVATED', { made: 'activated', there: 'alreadyActive' }],
	['SCHEDULED', { made: 'scheduled', there: 'alreadyScheduled' }],
]);
