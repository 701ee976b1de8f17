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

/** For so long the last look may take when the time is over. */
const LAST_LOOK_MS = 5 * SECOND_MS;

/**
 * Looks at a pending activation, with growing pauses, until it is settled or the time is over. A look that fails is no
 * reason to fail: the activation is made and paid for.
 *
 * @throws the abort reason when the execution is cancelled
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

/** What became of an order; the first three are of an activation that this very order made. */
export type Outcome = 'activated' | 'pending' | 'scheduled' | Already;

export interface Conclusion {
	/** Undefined if the service speaks of one and does not show it. */
	activation?: Activation;
	outcome: Outcome;
}

/**
 * What a settled order came to. One that failed because the listing has another activation counts as that other one.
 *
 * @throws ServiceError of kind `failed` for ERROR and DEACTIVATED
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

/** What an activation says of the listing that failed because there is another one. */
export function duplicateOf(own: Activation): Already | undefined {
	return resultOf(own) === 'ERROR' ? duplicateIn(codesOf(errorsIn(own.status))) : undefined;
}

/** What becomes of what the order made, and of what was there before. */
const OUTCOMES = new Map<string, { made: Outcome; there: Already }>([
	['ACTIVATED', { made: 'activated', there: 'alreadyActive' }],
	['SCHEDULED', { made: 'scheduled', there: 'alreadyScheduled' }],
]);
