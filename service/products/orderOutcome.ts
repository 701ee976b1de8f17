import type { Activation } from './activation';
import { activationId, codesOf, errorsIn, isCurrent, isFailed, resultOf } from './activation';
import type { CarefulOrder, OrderResult } from './carefulOrder';
import type { Already } from './codes';
import { duplicateIn } from './codes';
import { activationFailure } from './products';

/** What became of an order; the first three are of an activation that this very order made. */
export type Outcome = 'activated' | 'pending' | 'scheduled' | Already;

export interface Conclusion {
	/** Undefined if the service speaks of one and does not show it. */
	activation?: Activation;
	outcome: Outcome;
}

/**
 * What a settled activation came to. One that failed because the listing has another one counts
 * as that other one.
 *
 * @throws ServiceError of kind `failed` for ERROR and DEACTIVATED
 */
export async function concludeOrder(order: CarefulOrder, result: OrderResult): Promise<Conclusion> {
	if ('already' in result) return { outcome: result.already };
	if ('existing' in result) return existingOf(order, result.existing);
	const { own } = result;
	const duplicate = duplicateOf(own);
	if (duplicate) return await concludeOrder(order, await otherThan(own, order, duplicate));
	return ownOf(order, own);
}

/** What an activation says of the listing that failed because there is another one. */
export function duplicateOf(own: Activation): Already | undefined {
	return resultOf(own) === 'ERROR' ? duplicateIn(codesOf(errorsIn(own.status))) : undefined;
}

/** Instead of an order that failed because of another activation: that one. */
async function otherThan(
	failed: Activation,
	order: CarefulOrder,
	already: Already,
): Promise<OrderResult> {
	const seen = await order.look().catch((error: unknown) => {
		if (order.products.session.isCancelled) throw error;
		return undefined;
	});
	if (!seen) return { already };
	const existing = seen
		.filter((activation) => activationId(activation) !== activationId(failed))
		.find((activation) => isCurrent(activation, order.products.session));
	return existing ? { existing } : { already };
}

function ownOf({ products, name }: CarefulOrder, activation: Activation): Conclusion {
	if (!isFailed(activation)) return { activation, outcome: ownOutcome(resultOf(activation)) };
	const failure = activationFailure(products, activation);
	throw failure.with(`${name} was ordered, but not activated: ${failure.message}`, {});
}

/** What stands in the way, or has failed. */
function existingOf({ products, name }: CarefulOrder, activation: Activation): Conclusion {
	if (!isFailed(activation)) return { activation, outcome: existingOutcome(resultOf(activation)) };
	const failure = activationFailure(products, activation);
	throw failure.with(`${name} was not activated: ${failure.message}`, {
		cost: 'The service did not accept this order, but pointed to an earlier one, which has failed.',
	});
}

function ownOutcome(result: string): Outcome {
	if (result === 'ACTIVATED') return 'activated';
	return result === 'SCHEDULED' ? 'scheduled' : 'pending';
}

function existingOutcome(result: string): Outcome {
	if (result === 'ACTIVATED') return 'alreadyActive';
	return result === 'SCHEDULED' ? 'alreadyScheduled' : 'alreadyPending';
}
