import type { IHttpRequestOptions } from 'n8n-workflow';

import { isObject } from '../basics/values';
import type { RequestKind } from '../failure';
import { ServiceError } from '../failure';
import { lateAnswer, WORDS } from '../words';
import type { HttpAnswer } from './answer';
import { isHttpAnswer } from './answer';
import type { RetryLimits } from './retry';
import { cancelled, timeoutWithin } from './retry';

/** One of n8n's request helpers, which know the host's proxies and egress rules. */
export type SendHttp = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * What every request of this package asks of n8n's helpers: the whole answer whatever its status,
 * and no redirect, since a redirect would carry a secret or a token to wherever it leads.
 */
export const PLAIN_ANSWER = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	json: true,
} satisfies Partial<IHttpRequestOptions>;

const TROUBLES = WORDS.unavailable.messages;

/** Those that have to do with the way to the service, and not with the service. */
const UNREACHABLE: string[] = [
	TROUBLES.refusedConnection,
	TROUBLES.unknownName,
	TROUBLES.failedLookup,
	TROUBLES.unreachable,
];

/** Why a connection failed, by Node's codes (errno) and those of axios. */
const CONNECTION_FAILURES: Record<string, string> = {
	ECONNREFUSED: TROUBLES.refusedConnection,
	ECONNRESET: TROUBLES.lostConnection,
	EPIPE: TROUBLES.lostConnection,
	ERR_BAD_RESPONSE: TROUBLES.lostConnection,
	ERR_NETWORK: TROUBLES.lostConnection,
	ERR_STREAM_PREMATURE_CLOSE: TROUBLES.lostConnection,
	ECONNABORTED: TROUBLES.late,
	ETIMEDOUT: TROUBLES.late,
	ENOTFOUND: TROUBLES.unknownName,
	EAI_AGAIN: TROUBLES.failedLookup,
	EHOSTUNREACH: TROUBLES.unreachable,
	ENETUNREACH: TROUBLES.unreachable,
};

/** Failures from before a byte of the request was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|.*CERT.*|UNABLE_TO_.*)$/;

const TLS_FAILURE = /CERT|TLS|SSL|EPROTO|UNABLE_TO_(GET|VERIFY)/;

/** How long a request may take from its first byte to the last one of its answer. */
export const TIMEOUTS_MS: Record<RequestKind, number> = { data: 60_000, token: 30_000 };

/** Ends one request before the usual time of its kind is over. */
export interface SendBounds {
	timeoutMs?: number;
	limits?: Pick<RetryLimits, 'deadline'>;
	/** Aborted when nobody needs the answer any more. */
	signal?: AbortSignal;
}

/**
 * Called at the moment when the request goes out, from which on its time counts.
 *
 * @returns what n8n's helper has to know to end it
 * @throws when it is too late to send it
 */
export type Depart = () => Pick<IHttpRequestOptions, 'timeout' | 'abortSignal'>;

/**
 * Sends once and returns the answer, whatever its status. A request has its time as a whole: a
 * service that answers a byte now and then does not keep it alive.
 *
 * @throws ServiceError when no whole answer came in time; an error of the abort when nobody needs it
 * any more; errors of n8n itself as they are
 */
export async function send(
	requestKind: RequestKind,
	request: (depart: Depart) => Promise<unknown>,
	bounds: SendBounds = {},
): Promise<HttpAnswer> {
	const answer = await untilEnded(requestKind, request, bounds).catch((error: unknown) => {
		throw connectionFailure(requestKind, error);
	});
	if (!isHttpAnswer(answer)) {
		throw new ServiceError('foreign', WORDS.foreign.messages.unknownShape, { requestKind });
	}
	return { ...answer, body: jsonOrText(answer.body) };
}

/**
 * The outcome of the request, or a rejection as soon as its time is over or nobody needs it. n8n's
 * helper may not be able to end the request: then it goes on unheard. One that has not departed by
 * then never does.
 */
async function untilEnded(
	requestKind: RequestKind,
	request: (depart: Depart) => Promise<unknown>,
	{ timeoutMs = TIMEOUTS_MS[requestKind], limits = {}, signal }: SendBounds,
): Promise<unknown> {
	const ending = new AbortController();
	const settled = new AbortController();
	let isOnItsWay = false;
	const late = () =>
		lateAnswer(
			isOnItsWay ? { requestKind, isLate: true } : { requestKind: 'token', isUnsent: true },
		);
	return await new Promise<unknown>((resolve, reject) => {
		const endAt = (event: AbortSignal, reason: () => Error) => {
			const end = () => {
				reject(reason());
				ending.abort();
			};
			if (event.aborted) end();
			else event.addEventListener('abort', end, { once: true, signal: settled.signal });
		};
		const depart = () => {
			if (ending.signal.aborted) throw cancelled();
			isOnItsWay = true;
			endAt(AbortSignal.timeout(timeoutMs), late);
			return { timeout: timeoutWithin(limits, timeoutMs), abortSignal: ending.signal };
		};
		if (signal) endAt(signal, cancelled);
		if (Number.isFinite(limits.deadline)) {
			endAt(AbortSignal.timeout(timeoutWithin(limits, Infinity)), late);
		}
		if (!ending.signal.aborted) request(depart).then(resolve, reject);
		// With a reason: for none, Node makes an error and its stack, each time.
	}).finally(() => settled.abort('settled'));
}

/** JSON counts as such whatever its Content-Type; a part of one stays text. */
function jsonOrText(body: unknown): unknown {
	if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return body;
	try {
		return JSON.parse(body.trim());
	} catch {
		return body;
	}
}

/**
 * Nothing of an HTTP client's error is kept: it holds the request with its token or secret. An error that no
 * HTTP client made is n8n's own and stays as it is, such as one on a domain that n8n's rules forbid.
 */
function connectionFailure(requestKind: RequestKind, error: unknown): unknown {
	const chain = causesOf(error);
	const known = chain.find((link) => link instanceof ServiceError);
	if (known) return known;
	const code = chain.map(codeOf).find((found) => found !== undefined);
	if (code === undefined && !chain.some(holdsRequest)) return error;
	if (code !== undefined && TLS_FAILURE.test(code)) {
		const message = WORDS.foreign.messages.notSecure(code);
		const isUnsent = UNSENT.test(code);
		return new ServiceError('foreign', message, {
			requestKind,
			isUnsent,
			helpCode: 'certificate',
		});
	}
	const message = CONNECTION_FAILURES[code ?? ''] ?? TROUBLES.failedConnection;
	const isUnsent = code !== undefined && UNSENT.test(code);
	const isLate = message === TROUBLES.late;
	const helpCode = UNREACHABLE.includes(message) ? 'unreachable' : 'noAnswer';
	return new ServiceError('unavailable', message, { requestKind, isUnsent, isLate, helpCode });
}

/** The error and what it was made from: n8n wraps what its HTTP client threw. */
function causesOf(error: unknown): unknown[] {
	const chain: unknown[] = [];
	for (let link = error; link && chain.length < 5; link = nextLink(link)) chain.push(link);
	return chain;
}

function nextLink(link: unknown): unknown {
	if (!isObject(link)) return undefined;
	return link.cause ?? link.error;
}

function codeOf(link: unknown): string | undefined {
	return isObject(link) && typeof link.code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(link.code)
		? link.code
		: undefined;
}

function holdsRequest(link: unknown): boolean {
	return isObject(link) && ('config' in link || 'request' in link || 'isAxiosError' in link);
}
