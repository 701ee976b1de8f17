import { remembered } from '../basics/remembered';
import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import { pause, waitBefore } from '../http/retry';
import type { TokenAnswer } from './requestToken';

/**
 * Why a token is given up: the service refused it with this status, or n8n saw some request with it fail. And how often
 * at most it is replaced for that, since a new token may not help: a 403 may mean that the client may not do what it
 * asks, and n8n's HTTP Request node wants another token after a 404 too.
 */
const REPLACED_EVERY_MS = { 401: 30 * SECOND_MS, 403: 5 * MINUTE_MS, anyFailure: 30 * SECOND_MS };

type RenewalReason = keyof typeof REPLACED_EVERY_MS;

/** For how long a refused client ID and secret are not sent again. A longer Retry-After holds others for so long, too. */
const LONGEST_COOL_DOWN_MS = 5 * MINUTE_MS;

const REFUSED_BEFORE = `The service said so less than ${LONGEST_COOL_DOWN_MS / MINUTE_MS} minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.`;

/** A process that runs for months must not remember each client that it ever had. */
const MOST_CLIENTS = 1_000;

/** A token as the service issued it. */
interface Token extends TokenAnswer {
	/** Whether the service has answered a request with it other than by 401 or 403. */
	isProven: boolean;
}

/**
 * The token of one client at one address in this process: used for its lifetime, and asked for by one request at a
 * time, which all callers share. n8n keeps the token beyond the process; see `n8nHooks.ts`.
 */
export class TokenCache {
	private token?: Token;

	/** The request under way. */
	private pending?: Promise<Token>;

	/** A time in which the token endpoint is not asked, from `since` in epoch milliseconds, and the failure before it. */
	private coolDown?: { error: ServiceError; since: number; ms: number };

	/** Why the last token was given up, until its successor is there. */
	private replacing?: RenewalReason;

	/** When a token last replaced another one, in epoch milliseconds. */
	readonly replacedAt: Partial<Record<RenewalReason, number>> = {};

	/** When a token that had replaced another one was answered 401 like that, in epoch milliseconds. */
	private inVainAt?: number;

	static readonly of = remembered<string, TokenCache>(MOST_CLIENTS, () => new TokenCache());

	/**
	 * The living token, or that of the request under way, or a new one. It makes one attempt: a caller that has time
	 * left calls it again.
	 *
	 * @param request asks the service for a token once
	 * @throws ServiceError if the service issued none, or must not be asked yet: then with the time that is left
	 */
	async get(request: () => Promise<TokenAnswer>): Promise<Token> {
		if (this.living) return this.living;
		this.throwIfCoolingDown();
		const outcome = await orFailure((this.pending ??= this.renew(request)));
		// Each caller counts its own tries on the failure.
		if (outcome instanceof ServiceError) throw outcome.with(outcome.message, {});
		return outcome;
	}

	/**
	 * Gives up a token.
	 *
	 * @param forbiddenAt when the token replaced another one because of a 403, as n8n stored it: maybe by another process
	 * @returns whether another token may help: one that is there or on its way, or a new one
	 */
	refuse(accessToken: string, reason: RenewalReason, forbiddenAt?: number): boolean {
		const isCurrent = this.token?.accessToken === accessToken;
		if (this.pending || this.replacing || (this.living && !isCurrent)) return true;
		// A token that was accepted before has been revoked: a new one helps. One that replaced a token just now does not.
		const isUnproven = isCurrent && !this.token?.isProven;
		if (reason === 401 && isUnproven && isRecent(401, this.replacedAt[401])) {
			this.inVainAt = Date.now();
		}
		const lastAt = reason === 401 ? this.inVainAt : this.replacedAt[reason];
		if (isRecent(reason, lastAt) || (reason === 403 && isRecent(403, forbiddenAt))) return false;
		delete this.token;
		this.replacing = reason;
		return true;
	}

	/** Notes that the service has accepted a token. */
	accept(accessToken: string): void {
		if (this.token?.accessToken === accessToken) this.token.isProven = true;
	}

	/** The service has just accepted the client ID and secret: they may be sent at once. */
	endCoolDown(): void {
		delete this.coolDown;
	}

	private get living(): Token | undefined {
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

	private async renew(request: () => Promise<TokenAnswer>): Promise<Token> {
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

	private keep(answer: TokenAnswer): Token {
		if (this.replacing) this.replacedAt[this.replacing] = Date.now();
		delete this.replacing;
		delete this.coolDown;
		this.token = { ...answer, isProven: false };
		return this.token;
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

/** Whether a token was replaced so lately that it is not replaced again for this reason. */
function isRecent(reason: RenewalReason, at?: number): boolean {
	return leftOf(REPLACED_EVERY_MS[reason], at) > 0;
}

/** What is left of a span of milliseconds. A clock that was set back may put its start into the future: then nothing. */
function leftOf(ms = 0, since = NaN): number {
	const age = Date.now() - since;
	return age >= 0 ? ms - age : 0;
}
