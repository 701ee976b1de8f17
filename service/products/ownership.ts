import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../basics/times';
import type { Activation, ToldTime } from './activation';
import {
	activationId,
	isCurrent,
	isFailed,
	isToTheSecond,
	latestCreation,
	listingOf,
} from './activation';
import type { Listing } from './products';

/** What a list of activations that was asked for one listing holds. */
export interface ListedFor {
	/** Of the listing. */
	own: Activation[];
	/** Perhaps of the listing: the service has not kept to it, and nothing tells whose these are. */
	unclear: Activation[];
}

/**
 * A service that keeps to the listing may leave its ID out. One that shows other listings as well has
 * not kept to it: then only what names the listing is of it. What listing an agency's own ID means
 * is not known here, so there all of them have to be of one.
 */
export function sortByListing(activations: Activation[], listing: Listing): ListedFor {
	const named = activations.map(listingOf).filter((id) => id !== undefined);
	const wanted = 'listingId' in listing ? listing.listingId : onlyOne(named);
	const hasOthers = named.some((id) => id !== wanted);
	const own = activations.filter((activation) => {
		const id = listingOf(activation);
		return id === undefined ? !hasOthers : id === wanted;
	});
	const isUnclear = (activation: Activation) =>
		!own.includes(activation) && (wanted === undefined || listingOf(activation) === undefined);
	return { own, unclear: activations.filter(isUnclear) };
}

/** Undefined if there are several, or none. */
function onlyOne(ids: number[]): number | undefined {
	return new Set(ids).size === 1 ? ids[0] : undefined;
}

/** Whether an activation says itself that it is of the listing. */
export function namesListing(activation: Activation, listing: Listing): boolean {
	return 'listingId' in listing && listingOf(activation) === listing.listingId;
}

/** Whether an activation that the service points to for a listing can be of it. */
export function mayBeOfListing(activation: Activation, listing: Listing): boolean {
	const id = listingOf(activation);
	return id === undefined || !('listingId' in listing) || id === listing.listingId;
}

/** What tells the activation that an order has made from those of others. */
export interface Evidence {
	/** When the order's first POST whose outcome is not known was sent, by the host's clock. */
	sentAt?: number;
	/** What the listing had before that, by `traceOf`. */
	before?: ReadonlySet<string>;
	/** Whether another client has looked: what it was not shown need not be new. */
	isOthersLook?: boolean;
}

/** Tolerance of `isOwn`, which decides between “activated” and “alreadyActive”: clocks differ a little. */
const CLOCK_SLACK_MS = 2 * SECOND_MS;

/** For an activation that has ended: its time may be another clock's. */
const ENDED_SLACK_MS = 5 * MINUTE_MS;

/** The same for one that was not there just before. */
const NEW_SLACK_MS = HOUR_MS;

/** The same if the service does not tell its time: no host's clock is wrong by more. */
const UNTOLD_SLACK_MS = 30 * DAY_MS;

/** An activation that began since a POST whose outcome is not known is that POST's. */
export function isOwn(activation: Activation, evidence: Evidence, time: ToldTime): boolean {
	const { sentAt } = evidence;
	if (sentAt === undefined || wasThere(activation, evidence, time)) return false;
	return latestCreation(activation) >= time.timeAt(sentAt) - CLOCK_SLACK_MS;
}

/** The same, and one in force that does not tell when it was made and was not there before. */
export function isOwnNow(activation: Activation, evidence: Evidence, time: ToldTime): boolean {
	const isUntold = isCurrent(activation, time) && isUntoldSince(activation, evidence, time);
	return isUntold || isOwn(activation, evidence, time);
}

/** Whether that POST may have made it: yes, unless it surely is older. */
export function mayBeOwn(activation: Activation, evidence: Evidence, time: ToldTime): boolean {
	const { sentAt, before, isOthersLook } = evidence;
	if (sentAt === undefined || wasThere(activation, evidence, time)) return false;
	const isNew = before && !isOthersLook && activationId(activation) !== undefined;
	const toldSlackMs = isNew ? NEW_SLACK_MS : ENDED_SLACK_MS;
	const slackMs = time.knowsTime ? toldSlackMs : UNTOLD_SLACK_MS;
	return !(latestCreation(activation) < time.timeAt(sentAt) - slackMs);
}

/** Whether it does not tell when it was made, and would have been shown before that POST: somebody made it since. */
function isUntoldSince(activation: Activation, evidence: Evidence, time: ToldTime): boolean {
	const { sentAt, before, isOthersLook } = evidence;
	const isSince = before && !isOthersLook && !wasThere(activation, evidence, time);
	return sentAt !== undefined && isSince === true && Number.isNaN(latestCreation(activation));
}

function wasThere(
	activation: Activation,
	{ before, sentAt = 0 }: Evidence,
	time: ToldTime,
): boolean {
	const trace = traceOf(activation);
	if (trace === undefined || !before?.has(trace)) return false;
	// Two may have been made in one minute.
	const isOne = trace === activationId(activation) || isToTheSecond(activation);
	return isOne || latestCreation(activation) < time.timeAt(sentAt);
}

/** What tells an activation from others of its listing: its ID, or the time of one that is shown without. */
export function traceOf(activation: Activation): string | undefined {
	const { createdAt } = activation;
	return activationId(activation) ?? (typeof createdAt === 'string' ? createdAt : undefined);
}

/** An activation that is there: the order's own, or another one that stands in its way. */
export type Found = { own: Activation } | { existing: Activation };

export function claimed(activation: Activation, evidence: Evidence, time: ToldTime): Found {
	return isOwnNow(activation, evidence, time) ? { own: activation } : { existing: activation };
}

/** What surely is the order's, else what stands in its way. */
export function currentIn(
	activations: Activation[],
	evidence: Evidence,
	time: ToldTime,
): Found | undefined {
	const own = activations.find((activation) => isOwnNow(activation, evidence, time));
	if (own) return { own };
	const existing = activations.find((activation) => isCurrent(activation, time));
	return existing && { existing };
}

/**
 * What a POST without an answer has made. One that has ended counts too, unless it surely is older
 * than the POST: to be wrong there costs another run, to miss it costs another credit. Where nobody has looked
 * before, one whose term is over is older: no POST makes such.
 */
export function madeIn(
	activations: Activation[],
	evidence: Evidence,
	time: ToldTime,
): Found | undefined {
	const ended = activations.find(
		(activation) =>
			mayBeOwn(activation, evidence, time) && (evidence.before || isFailed(activation)),
	);
	return currentIn(activations, evidence, time) ?? (ended && { own: ended });
}
