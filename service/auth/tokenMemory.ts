import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { MINUTE_MS, SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import type { RetryLimits } from '../http/retry';
import { pauseBefore } from '../http/retry';
import type { Grant } from './grant';
import type { TokenAnswer } from './requestToken';
import { holdsUsableToken, isAlive, tokenOf } from './storedToken';
import type { Rest } from './tokenCall';
import { restAfter, TokenCall, untilOver } from './tokenCall';

/** How the service refuses a token. A 403 may also mean that the client may not do what it asks. */
export type RefusalStatus = 401 | 403;

/** A token as the service issued it. */
interface IssuedToken extends TokenAnswer {
	/** Epoch milliseconds. */
	issuedAt: number;
	/** How the service refused its predecessor, if it was asked for because of that. */
	replaces?: RefusalStatus;
	/** What the service has granted with it; see `ReadRequest.subject`. */
	grantedFor: Set<string>;
}

/**
 * For how long a refusal counts as settled: a refused pair is not sent again, and a 403 leads to no
 * further token.
 */
const SETTLED_MS = 5 * MINUTE_MS;

/** How often at most a living token, or a new one that was never accepted, is replaced. */
const REPLACE_EVERY_MS = 30 * SECOND_MS;

/** A process that runs for months must not remember everything that was ever granted. */
const MOST_SUBJECTS = 1_000;

/** How many pairs it remembers, for the same reason. */
const MOST_PAIRS = 1_000;

/** What the service asks of one request, others do for so long at most; see `Allowance`. */
const LONGEST_REST_MS = MINUTE_MS;

/** What else there is to know of a refusal that is told again. */
const TOLD_AGAIN = `The service said so less than ${SETTLED_MS / MINUTE_MS} minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.`;

/**
 * What this process knows of the tokens of one pair at one address. A token outlives the process in
 * n8n's credential, where other workers find it too. This memory lets parallel calls share one token
 * request. It also serves a call that read the credential a moment before the token was stored there.
 */
export class TokenMemory {
	/** By fingerprint, the least recently used first. */
	private static readonly memories = new Map<string, TokenMemory>();

	private issued?: IssuedToken;

	/** The request under way. */
	private pending?: Promise<IssuedToken>;

	private rest?: Rest;

	/** Aborted when there is a token: nobody rests any longer. */
	private arrival = new AbortController();

	/** How the service refused the last token, until its successor is there. */
	private refusedWith?: RefusalStatus;

	/** Epoch milliseconds: when n8n last had a living token replaced. */
	private replacedAt?: number;

	/** Epoch milliseconds: when a token was last replaced because of a 403. */
	private forbiddenAt?: number;

	/** How the service refused the pair, and when, in epoch milliseconds. */
	private pairRefusal?: { error: ServiceError; at: number };

	private constructor(readonly fingerprint: string) {}

	static of({ fingerprint }: Grant): TokenMemory {
		const { memories } = TokenMemory;
		const memory = memories.get(fingerprint) ?? new TokenMemory(fingerprint);
		memories.delete(fingerprint);
		memories.set(fingerprint, memory);
		for (const [oldest, { pending }] of memories) {
			if (memories.size <= MOST_PAIRS) break;
			if (!pending) memories.delete(oldest);
		}
		return memory;
	}

	/**
	 * The token that is known and lives, or a new one. Each call tries within its own limits. What calls share is each
	 * request, of which at most one is under way, and the rest after one that failed: whoever comes in that time waits
	 * until it is over, and is told the failure if that takes too long for its limits.
	 *
	 * @param ask makes one request
	 * @throws ServiceError if no token could be had, with the tries and waits of this call
	 */
	async obtain(limits: RetryLimits, ask: () => Promise<TokenAnswer>): Promise<IssuedToken> {
		const call = new TokenCall(limits);
		for (;;) {
			if (this.issued && isAlive(this.issued.expiresAt)) return this.issued;
			this.throwRefusal();
			const rest = this.pending ? undefined : call.restBefore(this.rest);
			const outcome = rest
				? await this.failureAfter(rest)
				: await call.inTime((this.pending ??= this.begin(ask, call.tries + 1)));
			if (outcome instanceof ServiceError) call.fail(outcome);
			else if (outcome) return outcome;
		}
	}

	/**
	 * Whether a new token may cure a refusal. It may if there is one already. If not, the rules for
	 * 401 and 403 keep a refusal that no token cures from costing one token after the other.
	 */
	mayCure(
		refused: ICredentialDataDecryptedObject,
		status: RefusalStatus,
		subject: string,
	): boolean {
		if (this.hasLiving && !this.isLast(tokenOf(refused))) return true;
		return status === 403 ? this.mayCure403(refused, subject) : this.mayCure401(refused, subject);
	}

	/** Notes that the service refused a token, so that it is not used again. */
	refuse(accessToken: string, status: RefusalStatus): void {
		this.forget(accessToken);
		if (!this.hasLiving) this.refusedWith = status;
	}

	/** Notes what the service granted with a token. */
	accept(accessToken: string, subject: string): void {
		const token = this.lastIf(accessToken);
		if (!token) return;
		if (token.grantedFor.size >= MOST_SUBJECTS) token.grantedFor.clear();
		token.grantedFor.add(subject);
	}

	/**
	 * Gives up the token for which n8n wants another one. A token that still lives may not be the
	 * cause of what failed, so it is given up only now and then.
	 */
	dismiss(presented: ICredentialDataDecryptedObject): void {
		if (holdsUsableToken(this, presented)) {
			if (isRecent(REPLACE_EVERY_MS, this.replacedAt)) return;
			this.replacedAt = Date.now();
		}
		this.forget(tokenOf(presented));
	}

	/** Notes that the service accepts the pair: if it was refused before, it is sent again at once. */
	acceptPair(): void {
		delete this.pairRefusal;
		delete this.rest;
	}

	/**
	 * A 403 may mean a revoked token. A new one is tried once in five minutes at most, counting those that other
	 * processes stored, and at once if the service granted the same with this very token before.
	 */
	private mayCure403(refused: ICredentialDataDecryptedObject, subject: string): boolean {
		const { tokenAfterForbidden, tokenIssuedAt } = refused;
		const storedAt = tokenAfterForbidden ? Number(tokenIssuedAt) : undefined;
		const isSettled = isRecent(SETTLED_MS, storedAt) || isRecent(SETTLED_MS, this.forbiddenAt);
		return !isSettled || (this.lastIf(tokenOf(refused))?.grantedFor.has(subject) ?? false);
	}

	/** A replacement that was never accepted for this subject is refused again: another one would be as well. */
	private mayCure401(refused: ICredentialDataDecryptedObject, subject: string): boolean {
		const token = this.lastIf(tokenOf(refused));
		const isUntried = token?.replaces && !token.grantedFor.has(subject);
		return !isUntried || !isRecent(REPLACE_EVERY_MS, token.issuedAt);
	}

	/** @param tries which try it is of the call that makes the request */
	private async begin(ask: () => Promise<TokenAnswer>, tries: number): Promise<IssuedToken> {
		try {
			const answer = await orFailure(ask());
			if (!(answer instanceof ServiceError)) return this.remember(answer);
			if (isLastWord(answer)) this.pairRefusal = { error: answer, at: Date.now() };
			const { isTransient, details } = answer;
			const pauseMs = Math.min(LONGEST_REST_MS, details.retryAfterMs || pauseBefore(tries));
			if (isTransient) this.rest = restAfter(answer, pauseMs);
			throw answer;
		} finally {
			delete this.pending;
		}
	}

	/**
	 * Waits until the rest is over or there is a token, and returns what the service said to another call that was
	 * quicker to ask after it.
	 */
	private async failureAfter(rest: Rest): Promise<ServiceError | undefined> {
		// A signal of its own: Node takes many who listen to one for a leak.
		const arrival = AbortSignal.any([this.arrival.signal]);
		await untilOver(rest, arrival).catch(() => {});
		return this.rest && this.rest.since >= rest.until ? this.rest.failure : undefined;
	}

	private throwRefusal(): void {
		if (!this.pairRefusal || !isRecent(SETTLED_MS, this.pairRefusal.at)) return;
		const { error } = this.pairRefusal;
		throw error.with(error.message, { aside: TOLD_AGAIN });
	}

	private remember(answer: TokenAnswer): IssuedToken {
		const { refusedWith: replaces } = this;
		const issuedAt = Date.now();
		this.issued = { ...answer, issuedAt, grantedFor: new Set(), ...(replaces && { replaces }) };
		if (replaces === 403) this.forbiddenAt = issuedAt;
		delete this.refusedWith;
		delete this.rest;
		this.arrival.abort();
		this.arrival = new AbortController();
		return this.issued;
	}

	private forget(accessToken: string): void {
		if (this.isLast(accessToken)) delete this.issued;
	}

	private get hasLiving(): boolean {
		return this.issued !== undefined && isAlive(this.issued.expiresAt);
	}

	private isLast(accessToken: string): boolean {
		return this.issued?.accessToken === accessToken;
	}

	/** The last token that was issued, if it is this one. */
	private lastIf(accessToken: string): IssuedToken | undefined {
		return this.isLast(accessToken) ? this.issued : undefined;
	}
}

/** Whether the service itself refused the pair, or what it asks for: not a page, nor our own check. */
function isLastWord({ kind, details: { status, code } }: ServiceError): boolean {
	return kind === 'credential' && (status === 401 || code !== undefined);
}

/** Whether something happened so lately. A clock that was put right may put it into the future: then not. */
function isRecent(ms: number, at = NaN): boolean {
	const age = Date.now() - at;
	return age >= 0 && age < ms;
}
