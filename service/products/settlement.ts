import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { pause } from '../http/retry';
import type { Activation } from './activation';
import { activationId, isPending } from './activation';
import type { Products } from './products';

/** An activation that is waited for. */
export interface Wait {
	readonly products: Products;
	/** As it was ordered. */
	readonly activation: Activation;
	/** For how long, in milliseconds. */
	readonly waitMs: number;
}

/** How an activation was seen last. */
export interface Sight {
	activation: Activation;
	/** Why it could not be looked at the last time. */
	trouble?: ServiceError;
	/** Before which time the service wants no other look, in epoch milliseconds. */
	notBefore?: number;
}

const FIRST_PAUSE_MS = SECOND_MS / 2;
const LONGEST_PAUSE_MS = 15 * SECOND_MS;

/** A look that begins when the time is over may take this long. */
const LAST_LOOK_MS = 5 * SECOND_MS;

/**
 * Looks at pending activations, all in the same rounds and with growing pauses between them, until
 * each one is settled or its time is over. A look that fails is no reason to fail: the activations
 * are made and paid for.
 *
 * @throws the abort reason when the execution is cancelled
 */
export async function untilSettled(
	waits: readonly Wait[],
	signal?: AbortSignal,
): Promise<Map<Wait, Sight>> {
	const startedAt = Date.now();
	const deadlineOf = ({ waitMs }: Wait) => startedAt + waitMs;
	const sights = new Map<Wait, Sight>();
	const sightOf = (wait: Wait): Sight => sights.get(wait) ?? { activation: wait.activation };
	const isOpen = (wait: Wait) => isWorthALook(sightOf(wait), deadlineOf(wait));
	let open = waits.filter(isOpen);
	for (let step = FIRST_PAUSE_MS; open.length > 0; step = Math.min(2 * step, LONGEST_PAUSE_MS)) {
		const nextDeadline = Math.min(...open.map(deadlineOf));
		await pause(Math.min(step, nextDeadline - Date.now()), signal);
		const due = open.filter((wait) => (sightOf(wait).notBefore ?? 0) <= Date.now());
		await mapConcurrently(due, MOST_REQUESTS_AT_ONCE, async (wait) => {
			sights.set(wait, await lookAgain(wait.products, sightOf(wait), deadlineOf(wait)));
		});
		open = open.filter((wait) => isOpen(wait) && Date.now() < deadlineOf(wait));
	}
	return sights;
}

async function lookAgain(products: Products, { activation }: Sight, until: number): Promise<Sight> {
	const deadline = Math.max(until, Date.now() + LAST_LOOK_MS);
	const id = activationId(activation);
	if (id === undefined) return { activation };
	const seen = await orFailure(products.activation(id, { deadline }));
	if (!(seen instanceof ServiceError)) return { activation: { ...seen, id } };
	const { retryAfterMs } = seen.details;
	const notBefore = retryAfterMs !== undefined && { notBefore: Date.now() + retryAfterMs };
	return { activation, trouble: seen, ...notBefore };
}

/** If the service asked for a longer wait than fits, no other look cuts it short. */
function isWorthALook({ activation, trouble, notBefore = 0 }: Sight, deadline: number): boolean {
	if (!isPending(activation) || activationId(activation) === undefined) return false;
	return notBefore < deadline && (!trouble || mayPass(trouble));
}

/** An order that was just taken may be missing for a moment: it is looked for again. */
function mayPass({ kind, isTransient }: ServiceError): boolean {
	return isTransient || kind === 'foreign' || kind === 'missing';
}
