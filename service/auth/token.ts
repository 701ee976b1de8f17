import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { readAnswer } from '../http/answer';
import { ServiceError } from '../failure';
import type { Grant } from './grant';
import { originOf } from './grant';
import type { RetryLimits } from '../http/retry';
import { DEFAULT_LIMITS, timeoutWithin, withRetry } from '../http/retry';
import type { Depart, SendHttp } from '../http/transport';
import { PLAIN_ANSWER, send, TIMEOUTS_MS } from '../http/transport';

/** A token as the service issued it. */
interface IssuedToken {
	accessToken: string;
	/** Epoch milliseconds; 0 where the service named no usable lifetime: used until refused. */
	expiresAt: number;
	/** Epoch milliseconds. */
	issuedAt: number;
	/** The status with which its predecessor was refused, where that is why it was asked for. */
	replaces?: RefusalStatus;
	/** What the service has granted with it; see `ReadRequest.subject`. */
	grantedFor: Set<string>;
}

type TokenAnswer = Pick<IssuedToken, 'accessToken' | 'expiresAt'>;

/** How the service refuses a token; 403 may just as well be a real refusal. */
export type RefusalStatus = 401 | 403;

/** What this process knows about one pair at one address. */
interface Memory {
	issued?: IssuedToken;
	pending?: Promise<IssuedToken>;
	/** The status with which the last token was refused, until its successor is there. */
	refusedWith?: RefusalStatus;
	/** Epoch milliseconds: when n8n last had a living token replaced. */
	replacedAt?: number;
	/** Epoch milliseconds: when a token was last replaced because of a 403. */
	forbiddenAt?: number;
	/** How the service refused the pair, and when, in epoch milliseconds. */
	refusal?: { error: ServiceError; at: number };
}

/**
 * By fingerprint, the least recently used first. n8n's credential is where a token outlives the process and reaches other
 * workers; this memory lets parallel calls share one request, and serves those who read the
 * credential a moment before the token was stored in it.
 */
const memories = new Map<string, Memory>();

/** A node's own limits, by the very object that it hands to n8n and n8n hands to the hook. */
const limitsOfCall = new WeakMap<ICredentialDataDecryptedObject, RetryLimits>();

/** The same for a node's request, whose time begins only once it has its token. */
const departureOfCall = new WeakMap<ICredentialDataDecryptedObject, Depart>();

/** n8n calls a hook that failed once more, with the very same object. */
const failureOfCall = new WeakMap<ICredentialDataDecryptedObject, ServiceError>();

/**
 * For how long a refusal counts as settled: that of a pair, which is not sent again, and a 403, for
 * which no further token is asked for.
 */
const SETTLED_MS = 5 * 60_000;

/** How often at most a living token, or a new one that was never taken, is replaced. */
const REPLACE_EVERY_MS = 30_000;

/** A process that runs for months must not remember everything that was ever granted. */
const MOST_SUBJECTS = 1_000;

/** Nor every pair that there ever was. */
const MOST_PAIRS = 1_000;

/** Timers of Node end at once if they are set for longer than some weeks. */
const LONGEST_WAIT_MS = 3_600_000;

/** What else there is to know of a refusal that is told once more. */
const TOLD_AGAIN = `The service said so less than ${SETTLED_MS / 60_000} minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.`;

/** The hidden properties in which n8n keeps the token with the credential. */
export interface StoredToken extends IDataObject {
	accessToken: string;
	tokenExpiresAt: number;
	tokenFingerprint: string;
	tokenIssuedAt: number;
	tokenAfterForbidden: boolean;
}

/**
 * n8n's `preAuthentication` hook: called while the stored token is empty, after a 401, and by the
 * HTTP Request node after any failed request, be it a 404 or a 429. What it returns is stored in
 * the credential, so the secret is not part of it.
 *
 * @throws ServiceError when no token could be had
 */
export async function renewToken(
	http: SendHttp,
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
): Promise<StoredToken> {
	const earlier = failureOfCall.get(credentials);
	if (earlier) throw earlier;
	dismissPresented(grant, credentials);
	const limits = bounded(limitsOfCall.get(credentials) ?? DEFAULT_LIMITS);
	const [outcome] = await Promise.allSettled([
		obtain(grant, limits, async () => await requestToken(http, grant, limits)),
	]);
	if (outcome.status === 'rejected') {
		const failure: unknown = outcome.reason;
		if (failure instanceof ServiceError) failureOfCall.set(credentials, failure);
		throw failure;
	}
	const issued = outcome.value;
	return {
		accessToken: issued.accessToken,
		tokenExpiresAt: issued.expiresAt,
		tokenFingerprint: grant.fingerprint,
		tokenIssuedAt: issued.issuedAt,
		tokenAfterForbidden: issued.replaces === 403,
	};
}

/** A token that still lives may not be what failed: it is given up now and then only. */
function dismissPresented(grant: Grant, credentials: ICredentialDataDecryptedObject): void {
	const memory = memoryOf(grant);
	if (holdsUsableToken(grant, credentials)) {
		if (isWithin(REPLACE_EVERY_MS, memory.replacedAt)) return;
		memory.replacedAt = Date.now();
	}
	forget(memory, tokenOf(credentials));
}

/**
 * n8n's `authenticate` hook. n8n itself never looks at a token's lifetime, nor at the pair it was
 * issued to; what it does understand is a 401, and then it renews the token and comes back.
 *
 * @throws an error in the shape of a 401 when the stored token must not be used
 */
export function authenticate<T extends { headers?: object }>(
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
	options: T,
): T {
	if (!holdsUsableToken(grant, credentials)) {
		throw Object.assign(new Error('The stored token is used up'), { response: { status: 401 } });
	}
	const authorization = { Authorization: `Bearer ${tokenOf(credentials)}` };
	const bounds = departureOfCall.get(credentials)?.();
	return { ...options, ...bounds, headers: { ...options.headers, ...authorization } };
}

/** Has the `authenticate` hook tell when the request with these credentials departs. */
export function onDeparture(credentials: ICredentialDataDecryptedObject, depart: Depart): void {
	departureOfCall.set(credentials, depart);
}

/** The stored token, empty where there is none. */
export function tokenOf({ accessToken }: ICredentialDataDecryptedObject): string {
	return typeof accessToken === 'string' ? accessToken : '';
}

/** Whether the stored token was issued to this very pair and address, and still lives. */
export function holdsUsableToken(
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
): boolean {
	const { tokenFingerprint, tokenExpiresAt } = credentials;
	const expiresAt = Number(tokenExpiresAt);
	return (
		tokenOf(credentials) !== '' &&
		tokenFingerprint === grant.fingerprint &&
		(!expiresAt || Date.now() < expiresAt)
	);
}

/** Credentials that make n8n ask the hook for a token, within a node's limits. */
export function withoutToken(
	credentials: ICredentialDataDecryptedObject,
	limits: RetryLimits,
): ICredentialDataDecryptedObject {
	const emptied = { ...credentials, accessToken: '' };
	limitsOfCall.set(emptied, limits);
	return emptied;
}

/**
 * Whether a new token may cure a refusal. A 403 may mean a revoked token or a real refusal: it is
 * tried once in a while, and whenever the same was granted with this very token before. A 401 was
 * not cured by a new token that was never taken for the same.
 */
export function mayCure(
	grant: Grant,
	refused: ICredentialDataDecryptedObject,
	status: RefusalStatus,
	subject: string,
): boolean {
	const memory = memoryOf(grant);
	const { issued } = memory;
	const hasSuccessor = issued && isAlive(issued) && issued.accessToken !== tokenOf(refused);
	if (hasSuccessor) return true;
	const remembered = issued?.accessToken === tokenOf(refused) ? issued : undefined;
	if (status === 403) {
		const { tokenAfterForbidden, tokenIssuedAt } = refused;
		const storedAt = tokenAfterForbidden ? Number(tokenIssuedAt) : undefined;
		const isSettled = isWithin(SETTLED_MS, storedAt) || isWithin(SETTLED_MS, memory.forbiddenAt);
		return !isSettled || (remembered?.grantedFor.has(subject) ?? false);
	}
	const isUntried = remembered?.replaces && !remembered.grantedFor.has(subject);
	return !isUntried || !isWithin(REPLACE_EVERY_MS, remembered.issuedAt);
}

/** Notes that the service refused a token, so that it is not handed out again. */
export function refuse(grant: Grant, accessToken: string, status: RefusalStatus): void {
	const memory = memoryOf(grant);
	forget(memory, accessToken);
	const hasSuccessor = memory.issued !== undefined && isAlive(memory.issued);
	if (!hasSuccessor) memory.refusedWith = status;
}

/** Notes what the service granted with a token. */
export function accept(grant: Grant, accessToken: string, subject: string): void {
	const { issued } = memoryOf(grant);
	if (issued?.accessToken !== accessToken) return;
	if (issued.grantedFor.size >= MOST_SUBJECTS) issued.grantedFor.clear();
	issued.grantedFor.add(subject);
}

/** Notes that the service takes a pair, so that it is sent again at once if it was refused before. */
export function acceptPair(grant: Grant): void {
	delete memoryOf(grant).refusal;
}

/**
 * Asks the service for a token (RFC 6749 §4.4), with repeats while it is busy. The one place that
 * needs the secret in plain text.
 *
 * @returns the token, and until when it lives (epoch milliseconds; 0 when that is unknown)
 * @throws ServiceError
 */
export async function requestToken(
	http: SendHttp,
	grant: Grant,
	limits: RetryLimits,
): Promise<TokenAnswer> {
	const { form, authorization } = grant.authenticate(await grant.clientSecret.reveal());
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'POST',
		url: grant.tokenUrl,
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			accept: 'application/json',
			...(authorization !== undefined && { authorization }),
		},
		body: new URLSearchParams(form).toString(),
	};
	const origin = originOf(grant, 'token');
	return await withRetry(async () => {
		const ask = async (depart: Depart) => await http({ ...options, ...depart() });
		return readToken(readAnswer(origin, await send('token', ask, { limits })));
	}, limits);
}

/**
 * One request at a time and pair: whoever comes while it is under way shares its outcome, unless
 * it was given up sooner than the newcomer's own limits would have it. Nobody waits longer for it
 * than for a request of their own.
 */
async function obtain(
	grant: Grant,
	limits: RetryLimits,
	ask: () => Promise<TokenAnswer>,
): Promise<IssuedToken> {
	const memory = memoryOf(grant);
	const { issued, refusal } = memory;
	if (issued && isAlive(issued)) return issued;
	if (refusal && isWithin(SETTLED_MS, refusal.at)) throw toldAgain(refusal.error);
	if (!memory.pending) {
		memory.pending = begin(memory, ask);
		return await memory.pending;
	}
	const shared = await outcomeWithin(limits, memory.pending);
	if (!shared) {
		throw new ServiceError('unavailable', 'The service did not answer in time', {
			requestKind: 'token',
		});
	}
	if (shared.status === 'fulfilled') return shared.value;
	const error: unknown = shared.reason;
	const isOpen =
		error instanceof ServiceError && error.isTransient && (error.tries ?? 0) < limits.maxTries;
	if (!isOpen) throw error;
	return await obtain(grant, limits, ask);
}

async function begin(memory: Memory, ask: () => Promise<TokenAnswer>): Promise<IssuedToken> {
	const [outcome] = await Promise.allSettled([ask()]);
	delete memory.pending;
	if (outcome.status === 'fulfilled') return remember(memory, outcome.value);
	const error: unknown = outcome.reason;
	if (error instanceof ServiceError && isLastWord(error))
		memory.refusal = { error, at: Date.now() };
	throw error;
}

/** Whether the service itself refused the pair, or what it asks for: not a page, nor our own check. */
function isLastWord({ kind, details: { status, code } }: ServiceError): boolean {
	return kind === 'credential' && (status === 401 || code !== undefined);
}

function toldAgain(error: ServiceError): ServiceError {
	return error.with(error.message, { aside: TOLD_AGAIN });
}

/** The outcome, or undefined if the limits end first; the work serves others and goes on. */
async function outcomeWithin<T>(
	limits: RetryLimits,
	work: Promise<T>,
): Promise<PromiseSettledResult<T> | undefined> {
	const over = AbortSignal.timeout(timeoutWithin(limits, LONGEST_WAIT_MS));
	return await new Promise((resolve) => {
		over.addEventListener('abort', () => resolve(undefined), { once: true });
		void Promise.allSettled([work]).then(([outcome]) => resolve(outcome));
	});
}

/** With a deadline: all tries and waits, even if they begin as somebody else's. */
function bounded(limits: RetryLimits): RetryLimits {
	const longestMs = limits.maxTries * TIMEOUTS_MS.token + limits.maxWaitMs;
	return { ...limits, deadline: Math.min(limits.deadline ?? Infinity, Date.now() + longestMs) };
}

function remember(memory: Memory, answer: TokenAnswer): IssuedToken {
	const { refusedWith: replaces } = memory;
	const issuedAt = Date.now();
	memory.issued = { ...answer, issuedAt, grantedFor: new Set(), ...(replaces && { replaces }) };
	if (replaces === 403) memory.forbiddenAt = issuedAt;
	delete memory.refusedWith;
	return memory.issued;
}

/**
 * Reads an access token response (RFC 6749 §5.1). The lifetime counts from the moment at which the
 * answer was made, which is when it arrived but for the time on the wire.
 */
function readToken(answer: IDataObject): TokenAnswer {
	const { access_token: accessToken, expires_in: lifetime } = answer;
	if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) {
		throw new ServiceError('foreign', 'The service answered without a token', {
			requestKind: 'token',
		});
	}
	const seconds = typeof lifetime === 'string' ? Number(lifetime) : lifetime;
	const isUsable = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
	return { accessToken, expiresAt: isUsable ? Date.now() + seconds * 1_000 : 0 };
}

function isAlive({ expiresAt }: IssuedToken): boolean {
	return expiresAt === 0 || Date.now() < expiresAt;
}

function forget(memory: Memory, accessToken: string): void {
	if (memory.issued?.accessToken === accessToken) delete memory.issued;
}

function memoryOf({ fingerprint }: Grant): Memory {
	const memory = memories.get(fingerprint) ?? {};
	memories.delete(fingerprint);
	memories.set(fingerprint, memory);
	for (const [oldest, { pending }] of memories) {
		if (memories.size <= MOST_PAIRS) break;
		if (!pending) memories.delete(oldest);
	}
	return memory;
}

/** Whether something happened so lately; what a clock that was put right calls the future did not. */
function isWithin(ms: number, at = NaN): boolean {
	const age = Date.now() - at;
	return age >= 0 && age < ms;
}
