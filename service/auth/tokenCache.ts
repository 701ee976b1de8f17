import memoize from 'lodash/memoize';

import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { pause, waitBefore } from '../http/retry';
import type { TokenAnswer } from './requestToken';

/**
 * The shortest time between two replacements of a refused token, in milliseconds, by the status with which the service
 * refused it. A new token does not always help: after a 403, the client ID may have no access to what the request asks
 * for.
 */
const REPLACED_EVERY_MS = { 401: 30 * SECOND_MS, 403: 5 * MINUTE_MS };

/**
 * How long the token cache sends no new token request after the service has refused the credential, in milliseconds.
 * This is also the longest wait that the cache accepts from a Retry-After header.
 */
const LONGEST_COOL_DOWN_MS = 5 * MINUTE_MS;

const REFUSED_BEFORE = `The service said so less than ${LONGEST_COOL_DOWN_MS / MINUTE_MS} minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.`;

/**
 * The token of one client ID at one address, as this process knows it. The cache uses a token for its whole lifetime
 * and sends only one token request at a time, whose result all callers get. n8n stores the token as well, so that it
 * outlives the process; see `n8nHooks.ts`.
 */
export class TokenCache {
	private token?: TokenAnswer;

	/** The token request that is under way. */
	private pending?: Promise<TokenAnswer>;

	/**
	 * The period in which the cache sends no token request: its start `since` (epoch milliseconds), its length, and the
	 * failure after which it started.
	 */
	private coolDown?: { error: ServiceError; since: number; ms: number };

	/** True from the refusal of a token until the cache has a new one. */
	private isReplacing = false;

	/**
	 * When the cache last discarded a refused token, in epoch milliseconds, by the status with which the service
	 * refused it.
	 */
	private readonly givenUpAt: { [status in keyof typeof REPLACED_EVERY_MS]?: number } = {};

	static readonly of = memoize<(fingerprint: string) => TokenCache>(() => new TokenCache());

	/**
	 * Returns the token that is still valid; otherwise the result of the token request under way, or of a new one. It
	 * makes only one attempt, and a caller that has time left may call it again.
	 *
	 * @param request asks the service for a token once
	 * @throws ServiceError if the service issued no token, or if no token request may be sent yet; the error then
	 * contains the remaining time
	 */
	async get(request: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
		if (this.living) return this.living;
		this.throwIfCoolingDown();
		return await (this.pending ??= this.renew(request));
	}

	/**
	 * Discards a token that the service has refused.
	 *
	 * @returns true if the request may succeed with another token, which the cache has, waits for, or will ask for
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

	/**
	 * Notes that the service has accepted a token. If the service later answers 401 to this token, the cache may
	 * replace it at once.
	 */
	accept(accessToken: string): void {
		if (this.token?.accessToken === accessToken) delete this.givenUpAt[401];
	}

	/** Allows token requests again, because the service has just accepted the client ID and secret. */
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
		// If a second or less remains of the wait that the service asked for, the cache throws no error, because its
		// caller may itself have waited and come back a little too early. `renew` then waits for the rest.
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
 * True if a token has not expired. A token is used until the end of its lifetime, and is not renewed before.
 *
 * @param expiresAt epoch milliseconds; 0 or unset if the service sent no usable lifetime: the token is then used until
 * the service refuses it
 */
export function isAlive(expiresAt: unknown): boolean {
	const end = Number(expiresAt);
	return !end || Date.now() < end;
}

function coolDownMs(error: ServiceError): number {
	const { isTransient, details } = error;
	if (!isTransient) return isRefusal(error) ? LONGEST_COOL_DOWN_MS : 0;
	// If a token request fails temporarily and its answer has no Retry-After header, the cache sends no other one for
	// as long as the wait before a second retry. Otherwise many callers, each with its own waits, would send token
	// requests one after the other.
	return Math.min(LONGEST_COOL_DOWN_MS, details.retryAfterMs || waitBefore(2));
}

/**
 * True if the service itself refused the client ID and secret, or the audience or scope. False for a proxy's page, and
 * for an error that this package's own check of a field found.
 */
function isRefusal({ kind, details: { status, code } }: ServiceError): boolean {
	return kind === 'credential' && (status === 401 || code !== undefined);
}

/**
 * Returns how much of a period remains, in milliseconds. If this machine's clock was set back, the start may be in the
 * future: the result is then 0.
 */
function leftOf(ms = 0, since = NaN): number {
	const age = Date.now() - since;
	return age >= 0 ? ms - age : 0;
}
