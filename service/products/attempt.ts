import { ProcessTime } from '../http/steadyTime';
import type { Activation, ToldTime } from './activation';
import { activationId, listingOf } from './activation';
import type { Evidence } from './ownership';
import { isOwn, mayBeOwn } from './ownership';
import type { Listing } from './products';

/** The time of this process, by which it is told when something was sent. */
export const TIME = new ProcessTime();

/**
 * What is known of an order, so that whoever tries it again does not start from nothing. When something was sent is told
 * by the process’s time, in milliseconds: the host's clock may be set meanwhile.
 */
export interface Attempt extends Pick<Evidence, 'before'> {
	/** From when a look tells what the last POST has made, in milliseconds of `performance.now()`: a clock that is set forward cuts no wait short. */
	shownFrom?: number;
	/** Whether a POST has left this process. */
	isSent?: boolean;
	/** When the first POST was sent whose outcome is not known. */
	sentAt?: number;
	/** The client with which the last of them was: another one need not be shown what it has made. */
	sentBy?: string;
	/** Whether that client has looked since, and was shown nothing. */
	isMissed?: boolean;
	/** When the POST was sent that the service took for certain. */
	takenAt?: number;
	/** The activation that the order made, as it was then. */
	made?: Activation;
}

/** An order of a run as others have to know it. */
export interface Tried {
	readonly listing: Listing;
	readonly attempt: Attempt;
}

/** When its first POST was sent that the service has or may have taken. */
export function mayBeTakenAt({ sentAt, takenAt }: Attempt): number | undefined {
	return sentAt ?? takenAt;
}

/** Whether a POST of it has left that the service has or may have taken. */
export function isPerhapsTaken(attempt: Attempt): boolean {
	return (attempt.isSent ?? false) && mayBeTakenAt(attempt) !== undefined;
}

/** Whether its own look has shown nothing so far. A list that lags may still show it to the next one. */
export function isMissing({ made, isMissed = false }: Attempt): boolean {
	return made === undefined && isMissed;
}

/** Whether its POST in doubt was sent with another client than this one. */
export function isSentByOther({ made, sentBy }: Attempt, clientId: string): boolean {
	return !made && sentBy !== undefined && sentBy !== clientId;
}

/** Whether what that POST has made need not be shown to this client, and the other one has not looked. */
export function isHidden(attempt: Attempt, clientId: string): boolean {
	return isSentByOther(attempt, clientId) && !attempt.isMissed;
}

/** How long until a look tells what their last POSTs have made. */
export function untilShownMs(attempts: Attempt[]): number {
	const times = attempts.map(({ shownFrom = 0 }) => shownFrom);
	return Math.max(0, ...times.map((time) => time - performance.now()));
}

/** What tells its own activations from others. */
export function evidenceOf(attempt: Attempt): Evidence {
	const { before } = attempt;
	const sentAt = mayBeTakenAt(attempt);
	return sentAt === undefined ? { before } : { before, sentAt: byHostClock(sentAt) };
}

/** Whether it has made an activation: by its ID or, where that is not known or not shown, by its time. */
export function hasMade(order: Tried, activation: Activation, time: ToldTime): boolean {
	return byIdOr(isOwn, order, activation, time);
}

/** Whether it may have made an activation. */
export function mayHaveMade(order: Tried, activation: Activation, time: ToldTime): boolean {
	return byIdOr(mayBeOwn, order, activation, time);
}

function byIdOr(
	byTime: typeof isOwn,
	{ listing, attempt }: Tried,
	activation: Activation,
	time: ToldTime,
): boolean {
	const { made = {} } = attempt;
	// RFC 9562, section 4: a UUID may be written in capitals.
	const [id, madeId] = [activation, made].map((each) => activationId(each)?.toLowerCase());
	if (id !== undefined && madeId !== undefined) return id === madeId;
	const listingId = listingOf(activation);
	// What was just made may not name its listing yet.
	const madeFor = listingOf(made) ?? listingOf({ ...listing }) ?? listingId;
	const isOfIt = listingId === undefined || listingId === madeFor;
	return isOfIt && byTime(activation, evidenceOf(attempt), time);
}

/** A moment of the process’s time by the host's clock as it is set now, in epoch milliseconds. */
function byHostClock(time: number): number {
	return Date.now() - (TIME.now() - time);
}
