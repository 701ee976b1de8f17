import memoize from 'lodash/memoize';

import { SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import type { Place } from '../http/pace';
import { pause } from '../http/retry';
import type { Bounds } from '../session';
import type { Activation } from './activation';
import { activationId, isPending } from './activation';
import { mayBeOfListing } from './ownership';
import type { Listing, Products } from './products';

/** An activation that is waited for. */
export interface Wait {
	readonly products: Products;
	readonly listing: Listing;
	/** As it was ordered. */
	readonly activation: Activation;
	/** For how long, in milliseconds. */
	readonly waitMs: number;
}

/** One that can be looked at. */
interface KnownWait extends Wait {
	readonly id: string;
}

/** How an activation was seen last. */
export interface Sight {
	activation: Activation;
	/** Why it could not be looked at the last time. */
	trouble?: ServiceError;
}

const FIRST_PAUSE_MS = SECOND_MS / 2;
const LONGEST_PAUSE_MS = 15 * SECOND_MS;

/** For so long a look may wait for its turn when the time is over, and so long it may take at least. */
const LAST_LOOK_MS = 5 * SECOND_MS;

/** How often in a row a look waits for a turn in vain if the service says nothing meanwhile, to whomever. */
const MOST_SILENCES = 3;

/** The same if it answers, but no look of ours: others take their turns. */
const MOST_WINDOWS = 12;

/** How often a look at any order of one client had an answer, if only that there is none such. */
interface Answers {
	count: number;
}

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
	const answersOf = memoize<(products: Products) => Answers>(
		() => ({ count: 0 }),
		({ session }) => session.fingerprint,
	);
	// Each on its own, so that a look that takes long costs the others none of theirs.
	await Promise.all(
		waits.map(async (wait) => {
			const id = activationId(wait.activation);
			if (id === undefined || !isPending(wait.activation)) return;
			// A signal of its own: Node takes many who listen to one for a leak.
			const end = AbortSignal.any(signal ? [signal] : []);
			const answers = answersOf(wait.products);
			for await (const sight of looks({ ...wait, id }, answers, end)) sights.set(wait, sight);
		}),
	);
	return sights;
}

/** Looks at one of them; the last time when its time is over. */
async function* looks(
	wait: KnownWait,
	answers: Answers,
	signal: AbortSignal,
): AsyncGenerator<Sight, void> {
	// No clock that is set makes it longer or shorter.
	const end = performance.now() + wait.waitMs;
	const leftMs = () => end - performance.now();
	let sight: Sight = { activation: wait.activation };
	for (let step = FIRST_PAUSE_MS; ; step = Math.min(2 * step, LONGEST_PAUSE_MS)) {
		const wantedMs = Math.max(step, sight.trouble?.details.retryAfterMs ?? 0);
		const isLast = wantedMs >= leftMs();
		await pause(Math.min(wantedMs, leftMs()), signal);
		sight = await lookInTurn(wait, sight, leftMs, answers, signal);
		yield sight;
		if (isLast || leftMs() <= 0 || !isWorthALook(sight, leftMs())) return;
	}
}

/**
 * Looks. Requests wait for their turn until the service can bear them: a look that had no turn waits on, in its place,
 * until the service has said nothing for some time, or nothing of any of them for longer.
 */
async function lookInTurn(
	wait: KnownWait,
	before: Sight,
	leftMs: () => number,
	answers: Answers,
	signal: AbortSignal,
): Promise<Sight> {
	const place: Place = { tries: 0, yields: true };
	for (let silences = 0, windows = 0; ;) {
		const { count } = answers;
		const { answers: toAnyone } = wait.products.session;
		const sight = await lookAgain(wait, before, { ...boundsOf(leftMs(), signal), place });
		const { trouble } = sight;
		if (!trouble?.isTransient) answers.count++;
		windows = answers.count === count ? windows + 1 : 0;
		const isSilent = windows > 0 && wait.products.session.answers === toAnyone;
		silences = isSilent ? silences + 1 : 0;
		if (!trouble?.details.hadNoTurn) return sight;
		if (silences === MOST_SILENCES || windows === MOST_WINDOWS) return sight;
	}
}

/** A look departs while there is time, and has a little more to be answered. */
function boundsOf(leftMs: number, needed: AbortSignal): Bounds {
	const departBy = Date.now() + Math.max(leftMs, LAST_LOOK_MS);
	return { needed, departBy, deadline: departBy + LAST_LOOK_MS };
}

async function lookAgain(
	{ products, listing, id }: KnownWait,
	{ activation }: Sight,
	bounds: Bounds,
): Promise<Sight> {
	const seen = await orTrouble(products.activation(id, bounds), bounds.needed);
	if (seen instanceof ServiceError) return { activation, trouble: seen };
	if (!mayBeOfListing(seen, listing)) return { activation, trouble: otherListing() };
	return { activation: { ...seen, id } };
}

/** What an answer led to whose address was wrong. */
function otherListing(): ServiceError {
	return new ServiceError(
		'foreign',
		'The service answered without the activation that was asked for',
	);
}

/** An error of n8n itself, such as one of its database, may pass like one of the service. */
async function orTrouble<T>(look: Promise<T>, signal?: AbortSignal): Promise<T | ServiceError> {
	return await orFailure(look).catch((error: unknown) => {
		if (signal?.aborted) throw error;
		return new ServiceError('unavailable', error instanceof Error ? error.message : String(error));
	});
}

/** If the service asks for a longer wait than is left, no other look cuts it short. */
function isWorthALook({ activation, trouble }: Sight, leftMs: number): boolean {
	if (!isPending(activation)) return false;
	if (!trouble) return true;
	return mayPass(trouble) && (trouble.details.retryAfterMs ?? 0) < leftMs;
}

/** An order that was just taken may be missing for a moment: it is looked for again. */
function mayPass({ kind, isTransient }: ServiceError): boolean {
	return isTransient || kind === 'foreign' || kind === 'missing';
}
