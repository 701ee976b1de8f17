import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { Origin } from './answer';
import { readAnswer } from './answer';
import { ServiceError } from './errors';
import type { Grant } from './grant';
import { secretsOf } from './grant';
import type { RetryLimits } from './retry';
import { DEFAULT_LIMITS, withRetry } from './retry';
import type { Depart, SendHttp } from './transport';
import { PLAIN_ANSWER, send } from './transport';

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
}

/**
 * By fingerprint. n8n's credential is where a token outlives the process and reaches other
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

/** For how long a refusal counts as settled where the token names no lifetime. */
const USUAL_LIFETIME_MS = 3_600_000;

/** How often at most a living token, or a new one that was never taken, is replaced. */
const REPLACE_EVERY_MS = 30_000;

/** A process that runs for months must not remember everything that was ever granted. */
const MOST_SUBJECTS = 1_000;

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
	const limits = limitsOfCall.get(credentials) ?? DEFAULT_LIMITS;
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
		const isRecent = Date.now() - (memory.replacedAt ?? 0) < REPLACE_EVERY_MS;
		if (isRecent && memory.issued?.accessToken === tokenOf(credentials)) return;
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
 * Whether a new token may cure a refusal. A 403 was not cured by the token that replaced one for a
 * 403, as long as that one lives, unless it was granted the same before: then it was revoked. A 401
 * was not cured by a new token that was never taken.
 */
export function mayCure(
	grant: Grant,
	refused: ICredentialDataDecryptedObject,
	status: RefusalStatus,
	subject: string,
): boolean {
	const { tokenAfterForbidden, tokenExpiresAt, tokenIssuedAt } = refused;
	const { issued } = memoryOf(grant);
	const hasSuccessor = issued && isAlive(issued) && issued.accessToken !== tokenOf(refused);
	if (hasSuccessor) return true;
	const remembered = issued?.accessToken === tokenOf(refused) ? issued : undefined;
	if (status === 403) {
		const until = Number(tokenExpiresAt) || Number(tokenIssuedAt) + USUAL_LIFETIME_MS;
		const isSettled = tokenAfterForbidden && Date.now() < until;
		return !isSettled || (remembered?.grantedFor.has(subject) ?? false);
	}
	const isUntried = remembered?.replaces && remembered.grantedFor.size === 0;
	return !isUntried || Date.now() - remembered.issuedAt >= REPLACE_EVERY_MS;
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
	const origin: Origin = { api: grant.api, step: 'token', secrets: secretsOf(grant) };
	return await withRetry(async () => {
		const ask = async (depart: Depart) => await http({ ...options, ...depart() });
		return readToken(readAnswer(origin, await send('token', ask, { limits })));
	}, limits);
}

/**
 * One request at a time and pair: whoever comes while it is under way shares its outcome, unless
 * it was given up sooner than the newcomer's own limits would have it.
 */
async function obtain(
	grant: Grant,
	limits: RetryLimits,
	ask: () => Promise<TokenAnswer>,
): Promise<IssuedToken> {
	const memory = memoryOf(grant);
	if (memory.issued && isAlive(memory.issued)) return memory.issued;
	if (!memory.pending) {
		memory.pending = ask()
			.then((answer) => remember(memory, answer))
			.finally(() => delete memory.pending);
		return await memory.pending;
	}
	const [shared] = await Promise.allSettled([memory.pending]);
	if (shared.status === 'fulfilled') return shared.value;
	const error: unknown = shared.reason;
	const isOpen =
		error instanceof ServiceError && error.isTransient && (error.tries ?? 0) < limits.maxTries;
	if (!isOpen) throw error;
	return await obtain(grant, limits, ask);
}

function remember(memory: Memory, answer: TokenAnswer): IssuedToken {
	dropUnused();
	memory.issued = {
		...answer,
		issuedAt: Date.now(),
		grantedFor: new Set(),
		...(memory.refusedWith && { replaces: memory.refusedWith }),
	};
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
		throw new ServiceError('foreign', 'The service answered without a token', { step: 'token' });
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

function memoryOf(grant: Grant): Memory {
	const known = memories.get(grant.fingerprint);
	if (known) return known;
	const memory: Memory = {};
	memories.set(grant.fingerprint, memory);
	return memory;
}

/** Pairs come and go in a process that runs for months. */
function dropUnused(): void {
	for (const [fingerprint, { issued, pending, refusedWith }] of memories) {
		const isUsed = issued && Date.now() < (issued.expiresAt || issued.issuedAt + USUAL_LIFETIME_MS);
		if (!isUsed && !pending && !refusedWith) memories.delete(fingerprint);
	}
}
