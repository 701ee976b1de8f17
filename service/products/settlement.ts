import { mapConcurrently, REQUESTS_AT_ONCE } from '../basics/concurrency';
import { ServiceError } from '../failure';
import type { Activation, Products } from './products';
import { idOf, isPending } from './products';
import { pause } from '../http/retry';

/** An activation that is waited for. */
export interface Wait {
	products: Products;
	/** As it was seen last. */
	activation: Activation;
	/** For how long, in milliseconds. */
	waitMs: number;
	/** Why it could not be looked at the last time. */
	trouble?: ServiceError;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

/** A look that begins when the time is over may take this long. */
const LAST_LOOK_MS = 5_000;

/**
 * Looks at pending activations, all in the same rounds and with growing pauses between them, until
 * each one is settled or its time is over. A look that fails is no reason to fail: the activations
 * are made and paid for.
 *
 * @throws the abort reason when the execution is cancelled
 */
export async function untilSettled(waits: Wait[], signal?: AbortSignal): Promise<void> {
	const startedAt = Date.now();
	const deadlineOf = ({ waitMs }: Wait) => startedAt + waitMs;
	let open = waits.filter(isWorthALook);
	for (let step = FIRST_PAUSE_MS; open.length > 0; step = Math.min(2 * step, LONGEST_PAUSE_MS)) {
		const nextDeadline = Math.min(...open.map(deadlineOf));
		await pause(Math.min(step, nextDeadline - Date.now()), signal);
		await mapConcurrently(
			open,
			REQUESTS_AT_ONCE,
			async (wait) => await look(wait, deadlineOf(wait)),
		);
		open = open.filter((wait) => isWorthALook(wait) && Date.now() < deadlineOf(wait));
	}
}

async function look(wait: Wait, until: number): Promise<void> {
	const deadline = Math.max(until, Date.now() + LAST_LOOK_MS);
	const id = idOf(wait.activation);
	if (id === undefined) return;
	const [outcome] = await Promise.allSettled([wait.products.activation(id, { deadline })]);
	if (outcome.status === 'fulfilled') {
		wait.activation = { ...outcome.value, id };
		wait.trouble = undefined;
		return;
	}
	const error: unknown = outcome.reason;
	if (!(error instanceof ServiceError)) throw error;
	wait.trouble = error;
}

function isWorthALook({ activation, trouble }: Wait): boolean {
	if (!isPending(activation) || idOf(activation) === undefined) return false;
	return !trouble || mayPass(trouble);
}

/**
 * A wait that the service asked for and that did not fit is not cut short by another look. An order
 * that was just taken may not be there to be seen yet.
 */
function mayPass({ kind, isTransient, details }: ServiceError): boolean {
	if (details.retryAfterMs !== undefined) return false;
	return isTransient || kind === 'foreign' || kind === 'missing';
}
