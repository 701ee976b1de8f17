import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { readAnswer } from './answer';
import { ServiceError } from './errors';
import type { Grant } from './grant';
import type { RetryLimits } from './retry';
import { DEFAULT_LIMITS, withRetry } from './retry';
import type { SendHttp } from './transport';
import { PLAIN_ANSWER, send } from './transport';

/** A token as the service issued it. */
interface IssuedToken {
	accessToken: string;
	/** Epoch milliseconds; 0 where the service named no usable lifetime: used until refused. */
	expiresAt: number;
	/** Epoch milliseconds. */
	issuedAt: number;
	/** Its predecessor was answered 403, so another 403 is a real refusal. */
	afterForbidden: boolean;
}

/** What this process knows about one pair at one address. */
interface Memory {
	issued?: IssuedToken;
	pending?: Promise<IssuedToken>;
	forbidden: boolean;
}

/**
 * By fingerprint. n8n's credential is where a token outlives the process and reaches other
 * workers; this memory lets parallel calls share one request, and serves those who read the
 * credential a moment before the token was stored in it.
 */
const memories = new Map<string, Memory>();

/** A node's own limits, by the very object that it hands to n8n and n8n hands to the hook. */
const limitsOfCall = new WeakMap<ICredentialDataDecryptedObject, RetryLimits>();

const TIMEOUT_MS = 30_000;

/** The hidden properties in which n8n keeps the token with the credential. */
export interface StoredToken extends IDataObject {
	accessToken: string;
	tokenExpiresAt: number;
	tokenFingerprint: string;
	tokenIssuedAt: number;
	tokenAfterForbidden: boolean;
}

/**
 * n8n's `preAuthentication` hook: called when the stored token is empty or was refused. What it
 * returns is stored in the credential, so the secret is not part of it.
 *
 * @throws ServiceError when no token could be had
 */
export async function renewToken(
	http: SendHttp,
	grant: Grant,
	credentials: ICredentialDataDecryptedObject,
): Promise<StoredToken> {
	forget(grant, tokenOf(credentials));
	const limits = limitsOfCall.get(credentials) ?? DEFAULT_LIMITS;
	const issued = await obtain(grant, async () => await requestToken(http, grant, limits));
	return {
		accessToken: issued.accessToken,
		tokenExpiresAt: issued.expiresAt,
		tokenFingerprint: grant.fingerprint,
		tokenIssuedAt: issued.issuedAt,
		tokenAfterForbidden: issued.afterForbidden,
	};
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
	return { ...options, headers: { ...options.headers, ...authorization } };
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

/** Notes that the service refused a token, so that it is not handed out again. */
export function refuse(grant: Grant, accessToken: string, status: 401 | 403): void {
	forget(grant, accessToken);
	const memory = memoryOf(grant);
	if (status === 403 && memory.issued === undefined) memory.forbidden = true;
}

/**
 * Asks the service for a token (RFC 6749 §4.4), with repeats while it is busy.
 *
 * @returns the token, and until when it lives (epoch milliseconds; 0 when that is unknown)
 * @throws ServiceError
 */
export async function requestToken(
	http: SendHttp,
	grant: Grant,
	limits: RetryLimits,
): Promise<Pick<IssuedToken, 'accessToken' | 'expiresAt'>> {
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'POST',
		url: grant.tokenUrl,
		headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
		body: new URLSearchParams(grant.form).toString(),
		timeout: TIMEOUT_MS,
	};
	return await withRetry(async () => {
		const answer = await send('token', async () => await http({ ...options }));
		return readToken(readAnswer('token', answer, grant.secrets));
	}, limits);
}

/** One request at a time and pair: whoever comes while it is under way shares its outcome. */
async function obtain(
	grant: Grant,
	ask: () => Promise<Pick<IssuedToken, 'accessToken' | 'expiresAt'>>,
): Promise<IssuedToken> {
	const memory = memoryOf(grant);
	if (memory.issued && isAlive(memory.issued)) return memory.issued;
	memory.pending ??= ask()
		.then((answer) => remember(memory, answer))
		.finally(() => delete memory.pending);
	return await memory.pending;
}

function remember(
	memory: Memory,
	answer: Pick<IssuedToken, 'accessToken' | 'expiresAt'>,
): IssuedToken {
	dropExpired();
	memory.issued = { ...answer, issuedAt: Date.now(), afterForbidden: memory.forbidden };
	memory.forbidden = false;
	return memory.issued;
}

/**
 * Reads an access token response (RFC 6749 §5.1). The lifetime counts from the moment at which the
 * answer was made, which is when it arrived but for the time on the wire.
 */
function readToken(answer: IDataObject): Pick<IssuedToken, 'accessToken' | 'expiresAt'> {
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

function forget(grant: Grant, accessToken: string): void {
	const memory = memoryOf(grant);
	if (memory.issued?.accessToken === accessToken) delete memory.issued;
}

function memoryOf(grant: Grant): Memory {
	const known = memories.get(grant.fingerprint);
	if (known) return known;
	const memory: Memory = { forbidden: false };
	memories.set(grant.fingerprint, memory);
	return memory;
}

/** Pairs come and go in a process that runs for months. */
function dropExpired(): void {
	for (const [fingerprint, { issued, pending }] of memories) {
		if (issued && !pending && !isAlive(issued)) memories.delete(fingerprint);
	}
}
