import memoize from 'lodash/memoize';

import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { pause, waitBefore } from '../http/retry';
import type { TokenAnswer } from './requestToken';

/**
 * How often at most a token is replaced that the service refused with this status, since a new token may not help: a 403
 * may mean that the client may not do what it asks.
 */
const REPLACED_EVERY_MS = { 401: 30 * SECOND_MS, 403: 5 * MINUTE_MS };

/** For how long a refused client ID and secret are not sent again. A longer Retry-After holds others for so long, too. */
const LONGEST_COOL_DOWN_MS = 5 * MINUTE_MS;

const REFUSED_BEFORE = `The service said so less than ${LONGEST_COOL_DOWN_MS / MINUTE_MS} minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.`;

/**
 * The token of one client at one address in this process: used for its lifetime, and asked for by one request at a
 * time, which all callers share. n8n keeps the token beyond the process; see `n8nHooks.ts`.
 */
export class TokenCache {
	private token?: TokenAnswer;

	/** The request under way. */
	private pending?: Promise<TokenAnswer>;

	/** A time in which the token endpoint is not asked, from `since` in epoch milliseconds, and the failure before it. */
	private coolDown?: { error: ServiceError; since: number; ms: number };

	/** Whether a token was given up and its successor is not there yet. */
	private isReplacing = false;

	/** When a token was last given up because of this status, in epoch milliseconds. */
	private readonly givenUpAt: { [status in keyof typeof REPLACED_EVERY_MS]?: number } = {};

	static readonly of = memoize<(fingerprint: string) => TokenCache>(() => new TokenCache());

	/**
	 * The living token, or that of the request under way, or a new one. It makes one attempt: a caller that has time
	 * left calls it again.
	 *
	 * @param request asks the service for a token once
	 * @throws ServiceError if the service issued none, or must not be asked yet: then with the time that is left
	 */
	async get(request: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
		if (this.living) return this.living;
		this.throwIfCoolingDown();
		return await (this.pending ??= this.renew(request));
	}

	/**
	 * Gives up a token that the service refused.
	 *
	 * @returns whether another token may help: one that is there or on its way, or a new one
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

	/** The service has accepted a token: if it refuses the token later, a new one helps. */
	accept(accessToken: string): void {
		if (this.token?.accessToken === accessToken) delete this.givenUpAt[401];
	}

	/** The service has just accepted the client ID and secret: they may be sent at once. */
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
		// A caller's own wait may end a little early.
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
 * The rule of a token's lifetime: it is used until its end, and is not renewed before that.
 *
 * @param expiresAt epoch milliseconds; 0 or unset if the service named no usable lifetime: then the token
 * is used until the service refuses it
 */
export function isAlive(expiresAt: unknown): boolean {
	const end = Number(expiresAt);
	return !end || Date.now() < end;
}

function coolDownMs(error: ServiceError): number {
	const { isTransient, details } = error;
	if (!isTransient) return isRefusal(error) ? LONGEST_COOL_DOWN_MS : 0;
	// As before a second repeat: many callers, each with its own waits, would otherwise ask one after the other.
	return Math.min(LONGEST_COOL_DOWN_MS, details.retryAfterMs || waitBefore(2));
}

/** Whether the service itself refused the client ID and secret, or what they ask for: not a page, nor our own check. */
function isRefusal({ kind, details: { status, code } }: ServiceError): boolean {
	return kind === 'credential' && (status === 401 || code !== undefined);
}

/** What is left of a span of milliseconds. A clock that was set back may put its start into the future: then nothing. */
function leftOf(ms = 0, since = NaN): number {
	const age = Date.now() - since;
	return age >= 0 ? ms - age : 0;
}
