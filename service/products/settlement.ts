import { inLanes, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { cancelled, pause } from '../http/retry';
import { ProcessTime } from '../http/steadyTime';
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
}

const FIRST_PAUSE_MS = SECOND_MS / 2;
const LONGEST_PAUSE_MS = 15 * SECOND_MS;

/** A look that begins when the time is over may take this long. */
const LAST_LOOK_MS = 5 * SECOND_MS;

/**
 * Looks at pending activations, with growing pauses between the looks at each of them, until it is settled or its time is
 * over. A look that fails is no reason to fail: the activations are made and paid for.
 *
 * @returns how each was seen that was looked at
 * @throws the abort reason when the execution is cancelled
 */
export async function untilSettled(
	waits: readonly Wait[],
	signal?: AbortSignal,
): Promise<Map<Wait, Sight>> {
	const sights = new Map<Wait, Sight>();
	const pending = waits.filter(({ activation }) => isWorthALook({ activation }));
	const failure = new AbortController();
	const end = AbortSignal.any([failure.signal, ...(signal ? [signal] : [])]);
	// Here they wait for each other: what is left of its time is counted when a look departs.
	const inLane = inLanes(MOST_REQUESTS_AT_ONCE);
	const look: Look = async (wait, sight, leftMs) =>
		await inLane(async () => {
			if (end.aborted) throw cancelled();
			return await lookAgain(wait.products, sight, leftMs());
		});
	// Each on its own, so that a look that takes long costs the others none of theirs.
	await Promise.all(
		pending.map(async (wait) => {
			for await (const sight of looks(wait, look, end)) sights.set(wait, sight);
		}),
	).finally(() => failure.abort());
	return sights;
}

/** Looks once it is its turn; then it asks how much of the time is left. */
type Look = (wait: Wait, sight: Sight, leftMs: () => number) => Promise<Sight>;

/** Looks at one of them; the last time when its time is over. */
async function* looks(wait: Wait, look: Look, signal: AbortSignal): AsyncGenerator<Sight> {
	const time = new ProcessTime();
	const end = time.now() + wait.waitMs;
	let sight: Sight = { activation: wait.activation };
	for (let step = FIRST_PAUSE_MS; ; step = Math.min(2 * step, LONGEST_PAUSE_MS)) {
		const wantedMs = Math.max(step, sight.trouble?.details.retryAfterMs ?? 0);
		const leftMs = end - time.now();
		await pause(Math.min(wantedMs, leftMs), signal);
		sight = await look(wait, sight, () => end - time.now());
		yield sight;
		const isOver = wantedMs >= leftMs || time.now() >= end;
		if (isOver || !isWorthALook(sight, end - time.now())) return;
	}
}

async function lookAgain(
	products: Products,
	{ activation }: Sight,
	leftMs: number,
): Promise<Sight> {
	const id = activationId(activation);
	if (id === undefined) return { activation };
	const deadline = Date.now() + Math.max(leftMs, LAST_LOOK_MS);
	const seen = await orFailure(products.activation(id, { deadline }));
	return seen instanceof ServiceError
		? { activation, trouble: seen }
		: { activation: { ...seen, id } };
}

/** If the service asks for a longer wait than is left, no other look cuts it short. */
function isWorthALook({ activation, trouble }: Sight, leftMs = Infinity): boolean {
	if (!isPending(activation) || activationId(activation) === undefined) return false;
	if (!trouble) return true;
	return mayPass(trouble) && (trouble.details.retryAfterMs ?? 0) < leftMs;
}

/** An order that was just taken may be missing for a moment: it is looked for again. */
function mayPass({ kind, isTransient }: ServiceError): boolean {
	return isTransient || kind === 'foreign' || kind === 'missing';
}
