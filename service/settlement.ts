import { mapConcurrently, REQUESTS_AT_ONCE } from './concurrency';
import { ServiceError } from './errors';
import type { Activation, Products } from './products';
import { resultOf } from './products';
import { pause } from './retry';

/** An activation that is waited for. */
export interface Wait {
	products: Products;
	/** As it was seen last. */
	activation: Activation;
	/** When waiting ends, in epoch milliseconds. */
	deadline: number;
	/** Why it could not be looked at the last time. */
	trouble?: ServiceError;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** A look that begins at the deadline may take this long. */
const LAST_LOOK_MS = 5_000;

/**
 * Looks at pending activations, all in the same rounds and with growing pauses between them, until
 * each one is settled or its deadline is over. A look that fails is no reason to fail: the
 * activations are made and paid for.
 *
 * @throws the abort reason when the execution is cancelled
 */
export async function untilSettled(waits: Wait[], signal?: AbortSignal): Promise<void> {
	let open = waits.filter(isPending);
	for (let step = FIRST_PAUSE_MS; open.length > 0; step = Math.min(2 * step, LONGEST_PAUSE_MS)) {
		const nextDeadline = Math.min(...open.map(({ deadline }) => deadline));
		await pause(Math.min(step, nextDeadline - Date.now()), signal);
		await mapConcurrently(open, REQUESTS_AT_ONCE, look);
		open = open.filter(isWorthALook);
	}
}

async function look(wait: Wait): Promise<void> {
	const deadline = Math.max(wait.deadline, Date.now() + LAST_LOOK_MS);
	const [outcome] = await Promise.allSettled([
		wait.products.until(deadline).activation(wait.activation.id),
	]);
	if (outcome.status === 'fulfilled') {
		wait.activation = outcome.value;
		wait.trouble = undefined;
		return;
	}
	const error: unknown = outcome.reason;
	if (!(error instanceof ServiceError)) throw error;
	wait.trouble = error;
}

function isWorthALook(wait: Wait): boolean {
	return isPending(wait) && Date.now() < wait.deadline && mayPass(wait.trouble);
}

function isPending({ activation }: Wait): boolean {
	return resultOf(activation) === 'PENDING';
}

/** A wait that the service asked for and that did not fit is not cut short by another look. */
function mayPass(trouble: ServiceError | undefined): boolean {
	if (!trouble) return true;
	return trouble.details.retryAfterMs === undefined && !isRefusal(trouble);
}

function isRefusal({ kind, isTransient }: ServiceError): boolean {
	return !isTransient && kind !== 'foreign';
}
