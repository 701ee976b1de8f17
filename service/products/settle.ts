import { SECOND_MS } from '../basics/times';
import { ServiceError } from '../failure';
import type { Activation } from './activation';
import { activationId, codesOf, errorsIn, isFailed, isPending, resultOf } from './activation';
import type { Already } from './codes';
import { duplicateIn } from './codes';
import type { Order, OrderResult } from './order';
import type { Products } from './products';
import { activationFailure, orUnavailable } from './products';

/** How an activation was seen last. */
export interface Sight {
	activation: Activation;
	/** Why it could not be read the last time. */
	trouble?: ServiceError;
}

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
): Promise<Sight> {
	const id = activationId(ordered);
	let sight: Sight = { activation: ordered };
	if (id === undefined) return sight;
	const end = performance.now() + waitMs;
	for (let step = FIRST_PAUSE_MS; isPending(sight.activation); step *= 2) {
		const leftMs = end - performance.now();
		const dueMs = Math.max(
			Math.min(step, LONGEST_PAUSE_MS),
			sight.trouble?.details.retryAfterMs ?? 0,
		);
		await products.session.pause(Math.min(dueMs, leftMs));
		sight = await lookAgain(products, { ...sight.activation, id }, end);
		if (dueMs >= leftMs || !mayPass(sight.trouble, leftMs)) break;
	}
	return sight;
}

async function lookAgain(
	products: Products,
	before: Activation & { id: string },
	end: number,
): Promise<Sight> {
	const leftMs = Math.max(0, end - performance.now());
	const deadline = Date.now() + leftMs + LAST_LOOK_MS;
	const seen = await orUnavailable(products.activation(before.id, { deadline }), products.session);
	if (seen instanceof ServiceError) return { activation: before, trouble: seen };
	return { activation: { ...seen, id: before.id } };
}

/** An order that was just taken may be missing for a moment. A service that asks for a longer wait than is left is not asked again. */
function mayPass(trouble: ServiceError | undefined, leftMs: number): boolean {
	if (!trouble) return true;
	const { kind, isTransient, details } = trouble;
	return (
		(isTransient || kind === 'foreign' || kind === 'missing') &&
		(details.retryAfterMs ?? 0) < leftMs
	);
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
		return { activation: existing, outcome: EXISTING.get(resultOf(existing)) ?? 'alreadyPending' };
	}
	const { own } = result;
	const duplicate = duplicateOf(own);
	if (duplicate) return { outcome: duplicate };
	if (!isFailed(own)) return { activation: own, outcome: OWN.get(resultOf(own)) ?? 'pending' };
	const failure = activationFailure(order.products, own);
	throw failure.with(`${order.name} was ordered, but not activated: ${failure.message}`, {});
}

/** What an activation says of the listing that failed because there is another one. */
export function duplicateOf(own: Activation): Already | undefined {
	return resultOf(own) === 'ERROR' ? duplicateIn(codesOf(errorsIn(own.status))) : undefined;
}

const OWN = new Map<string, Outcome>([
	['ACTIVATED', 'activated'],
	['SCHEDULED', 'scheduled'],
]);

const EXISTING = new Map<string, Outcome>([
	['ACTIVATED', 'alreadyActive'],
	['SCHEDULED', 'alreadyScheduled'],
]);
