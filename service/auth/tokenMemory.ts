import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import type { RetryLimits } from '../http/retry';
import { timeoutWithin } from '../http/retry';
import { lateAnswer } from '../words';
import type { Grant } from './grant';
import type { TokenAnswer } from './requestToken';
import { holdsUsableToken, isAlive, tokenOf } from './storedToken';

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

/** A token request under way, the limits of the call that makes it, and since when (epoch milliseconds). */
interface TokenRequest {
	outcome: Promise<IssuedToken>;
	limits: RetryLimits;
	startedAt: number;
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

/** Calls that began together may end a moment apart, which is no reason to ask once more. */
const NOTABLE_WAIT_MS = SECOND_MS;

/** A timer of Node that is set for longer than some weeks ends at once. */
const LONGEST_SHARED_WAIT_MS = HOUR_MS;

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

	private pending?: TokenRequest;

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
	 * The token that is known and lives, or a new one. At most one request is under way: calls that
	 * come meanwhile share its outcome, and none waits longer for it than for a request of its own. If
	 * the request was given up sooner than a call's own limits ask for, the call asks again.
	 *
	 * @throws ServiceError if no token could be had
	 */
	async obtain(limits: RetryLimits, ask: () => Promise<TokenAnswer>): Promise<IssuedToken> {
		if (this.issued && isAlive(this.issued.expiresAt)) return this.issued;
		if (this.pairRefusal && isRecent(SETTLED_MS, this.pairRefusal.at)) {
			const { error } = this.pairRefusal;
			throw error.with(error.message, { aside: TOLD_AGAIN });
		}
		const { pending } = this;
		if (!pending) {
			this.pending = { outcome: this.begin(ask), limits, startedAt: Date.now() };
			return await this.pending.outcome;
		}
		const missedMs = Math.max(0, Date.now() - pending.startedAt);
		const shared = await orFailure(valueWithin(limits, pending.outcome));
		if (!shared) {
			throw lateAnswer({ requestKind: 'token' });
		}
		if (!(shared instanceof ServiceError)) return shared;
		if (!goesOn(limits, pending.limits, shared, missedMs)) throw shared;
		return await this.obtain(limits, ask);
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

	private async begin(ask: () => Promise<TokenAnswer>): Promise<IssuedToken> {
		try {
			const answer = await orFailure(ask());
			if (!(answer instanceof ServiceError)) return this.remember(answer);
			if (isLastWord(answer)) this.pairRefusal = { error: answer, at: Date.now() };
			throw answer;
		} finally {
			delete this.pending;
		}
	}

	private remember(answer: TokenAnswer): IssuedToken {
		const { refusedWith: replaces } = this;
		const issuedAt = Date.now();
		this.issued = { ...answer, issuedAt, grantedFor: new Set(), ...(replaces && { replaces }) };
		if (replaces === 403) this.forbiddenAt = issuedAt;
		delete this.refusedWith;
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

/**
 * Whether a call would have gone on asking where another gave up. A call whose limits are no wider would not: else all
 * that share a failure would make the same request, one after the other.
 *
 * @param missedMs how much later it came: what the other had waited before that is none of its waits
 */
function goesOn(
	own: RetryLimits,
	others: RetryLimits,
	failure: ServiceError,
	missedMs: number,
): boolean {
	const { isTransient, tries = 0, waitedMs = 0, details } = failure;
	const { retryAfterMs = 0 } = details;
	if (!isTransient || tries >= own.maxTries) return false;
	const leftMs = waitLeft(own, Math.max(0, waitedMs - missedMs));
	const isTriedOut = tries >= others.maxTries;
	return (
		retryAfterMs <= leftMs && (isTriedOut || leftMs - waitLeft(others, waitedMs) >= NOTABLE_WAIT_MS)
	);
}

/** For how long limits allow to wait, after waits of so many milliseconds. */
function waitLeft({ maxWaitMs, deadline = Infinity }: RetryLimits, waitedMs: number): number {
	return Math.min(maxWaitMs - waitedMs, deadline - Date.now());
}

/** The value, or undefined if the limits end first; the work serves others and goes on. */
async function valueWithin<T>(limits: RetryLimits, work: Promise<T>): Promise<T | undefined> {
	const over = AbortSignal.timeout(timeoutWithin(limits, LONGEST_SHARED_WAIT_MS));
	return await new Promise((resolve, reject) => {
		over.addEventListener('abort', () => resolve(undefined), { once: true });
		work.then(resolve, reject);
	});
}

/** Whether something happened so lately. A clock that was put right may put it into the future: then not. */
function isRecent(ms: number, at = NaN): boolean {
	const age = Date.now() - at;
	return age >= 0 && age < ms;
}
