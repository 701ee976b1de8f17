import { ProcessTime } from '../http/steadyTime';
import type { Activation } from './activation';
import type { Evidence } from './ownership';

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
	/** The credential with which that was: another one need not be shown what it has made. */
	sentBy?: string;
	/** When the POST was sent that the service took for certain. */
	takenAt?: number;
	/** The activation that the order made, as it was then. */
	made?: Activation;
}

/** When its first POST was sent that the service has or may have taken. */
export function mayBeTakenAt({ sentAt, takenAt }: Attempt): number | undefined {
	return sentAt ?? takenAt;
}

/** Whether its POST in doubt was sent with another credential than this one. */
export function isSentByOther({ sentBy }: Attempt, identity: string): boolean {
	return sentBy !== undefined && sentBy !== identity;
}

/** How long until a look tells what its last POST has made. */
export function untilShownMs({ shownFrom = 0 }: Attempt): number {
	return Math.max(0, shownFrom - performance.now());
}

/** What tells its own activations from others. */
export function evidenceOf({ before, sentAt }: Attempt): Evidence {
	return sentAt === undefined ? { before } : { before, sentAt: byHostClock(sentAt) };
}

/** A moment of the process’s time by the host's clock as it is set now, in epoch milliseconds. */
export function byHostClock(time: number): number {
	return Date.now() - (TIME.now() - time);
}
