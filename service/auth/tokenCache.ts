import memoize from 'lodash/memoize';

import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { pause, waitBefore } from '../http/retry';
import type { TokenAnswer } from './requestToken';

/**
 * The least time, in milliseconds, between two replacements of a token that the service refused with this status. A
 * new token may not help: 403 may mean that the client ID has no access to what the request asks for.
 */
const REPLACED_EVERY_MS = { 401: 30 * SECOND_MS, 403: 5 * MINUTE_MS };

/**
 * The time for which the cache does not send a refused client ID and secret again, and the longest time for which it
 * obeys a Retry-After.
 */
const LONGEST_COOL_DOWN_MS = 5 * MINUTE_MS;

const REFUSED_BEFORE = `The service said so less than ${LONGEST_COOL_DOWN_MS / MINUTE_MS} minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.`;

/**
 * The token of one client ID at one address in this process. The cache uses a token for its whole lifetime and sends
 * one token request at a time, which all callers share. n8n keeps the token beyond the process; see `n8nHooks.ts`.
 */
export class TokenCache {
	private token?: TokenAnswer;

	/** The token request that is under way. */
	private pending?: Promise<TokenAnswer>;

	/**
	 * The time during which the cache sends no token request, from `since` (epoch milliseconds), and the failure that
	 * began it.
	 */
	private coolDown?: { error: ServiceError; since: number; ms: number };

	/** True while a refused token has no successor yet. */
	private isReplacing = false;

	/** When the cache last gave up a token because of this status, in epoch milliseconds. */
	private readonly givenUpAt: { [status in keyof typeof REPLACED_EVERY_MS]?: number } = {};

	static readonly of = memoize<(fingerprint: string) => TokenCache>(() => new TokenCache());

	/**
	 * Returns the token that is valid, or the one that the request under way brings, or a new one. It makes one
	 * attempt; a caller that has time left calls it again.
	 *
	 * @param request asks the service for a token once
	 * @throws ServiceError if the service issued no token, or if the cool-down is not over; the error then has the time
	 * that is left
	 */
	async get(request: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
		if (this.living) return this.living;
		this.throwIfCoolingDown();
		return await (this.pending ??= this.renew(request));
	}

	/**
	 * Gives up a token that the service refused.
	 *
	 * @returns true if another token may help: one that the cache has, or awaits, or will ask for
	 */
	refuse(accessToken: string, status: keyof typeof REPLACED_EVERY_MS): boolean {
		const isReplaced = this.living && this.living.accessToken !== accessToken;
		if (this.pending || this.isReplacing || isReplaced) return true;
		if (leftOf(REPLACED_EVERY_MS[status], this.givenUpAt[status]) > 0) return false;
		this.givenUpAt[status] = Date.now();
		this.isReplacing = true;
		delete this.token;
		return true;
	}

	/** Notes that the service has accepted a token. If the service refuses the token later, a new one helps. */
	accept(accessToken: string): void {
		if (this.token?.accessToken === accessToken) delete this.givenUpAt[401];
	}

	/** Ends the cool-down, because the service has just accepted the client ID and secret. */
	endCoolDown(): void {
		delete this.coolDown;
	}

	private get living(): TokenAnswer | undefined {
		return this.token && isAlive(this.token.expiresAt) ? this.token : undefined;
	}

	private throwIfCoolingDown(): void {
		if (!this.coolDown) return;
		const { error, since, ms } = this.coolDown;
		if (leftOf(ms, since) <= 0) return;
		if (!error.isTransient) throw error.with(error.message, { note: REFUSED_BEFORE });
		const retryAfterMs = leftOf(error.details.retryAfterMs, since);
		// A caller’s wait may end a little earlier than the cool-down.
		if (retryAfterMs > SECOND_MS) throw error.with(error.message, { retryAfterMs });
	}

	private async renew(request: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
		try {
			if (this.coolDown) await pause(leftOf(this.coolDown.ms, this.coolDown.since));
			const outcome = await orFailure(request());
			if (!(outcome instanceof ServiceError)) return this.keep(outcome);
			this.coolDown = { error: outcome, since: Date.now(), ms: coolDownMs(outcome) };
			throw outcome;
		} finally {
			delete this.pending;
		}
	}

	private keep(token: TokenAnswer): TokenAnswer {
		this.isReplacing = false;
		delete this.coolDown;
		return (this.token = token);
	}
}

/**
 * True if a token has not expired. A token is used until the end of its lifetime, and not renewed before.
 *
 * @param expiresAt epoch milliseconds; 0 or unset if the service named no usable lifetime: then the token is used
 * until the service refuses it
 */
export function isAlive(expiresAt: unknown): boolean {
	const end = Number(expiresAt);
	return !end || Date.now() < end;
}

function coolDownMs(error: ServiceError): number {
	const { isTransient, details } = error;
	if (!isTransient) return isRefusal(error) ? LONGEST_COOL_DOWN_MS : 0;
	// Without Retry-After, the cool-down is as long as the pause before a second retry. Otherwise many callers, each
	// with its own pauses, would send requests one after the other.
	return Math.min(LONGEST_COOL_DOWN_MS, details.retryAfterMs || waitBefore(2));
}

/**
 * True if the service itself refused the client ID and secret, or the audience or scope. A page of a proxy and our
 * own check of a field do not count.
 */
function isRefusal({ kind, details: { status, code } }: ServiceError): boolean {
	return kind === 'credential' && (status === 401 || code !== undefined);
}

/**
 * The milliseconds that are left of a span. If the clock was set back, the start may be in the future: then the
 * result is 0.
 */
function leftOf(ms = 0, since = NaN): number {
	const age = Date.now() - since;
	return age >= 0 ? ms - age : 0;
}
