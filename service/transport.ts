import type { IHttpRequestOptions } from 'n8n-workflow';

import type { HttpAnswer } from './answer';
import { isHttpAnswer, isObject } from './answer';
import type { Step } from './errors';
import { ServiceError } from './errors';

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

/** What a connection failed of, in words. Codes are Node's (errno) and axios's. */
const CONNECTION_FAILURES: Record<string, string> = {
	ECONNREFUSED: 'The service refused the connection',
	ECONNRESET: 'The connection to the service was lost',
	EPIPE: 'The connection to the service was lost',
	ERR_BAD_RESPONSE: 'The connection to the service was lost',
	ERR_NETWORK: 'The connection to the service was lost',
	ERR_STREAM_PREMATURE_CLOSE: 'The connection to the service was lost',
	ECONNABORTED: 'The service did not answer in time',
	ETIMEDOUT: 'The service did not answer in time',
	ENOTFOUND: 'No server has the name in the address',
	EAI_AGAIN: 'The name in the address could not be looked up',
	EHOSTUNREACH: 'The service cannot be reached',
	ENETUNREACH: 'The service cannot be reached',
};

/** Failures from before a byte of the request was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|.*CERT.*|UNABLE_TO_.*)$/;

const TLS_FAILURE = /CERT|TLS|SSL|EPROTO|UNABLE_TO_(GET|VERIFY)/;

/**
 * Sends once and returns the answer, whatever its status.
 *
 * @throws ServiceError when no whole answer came; errors of n8n itself as they are
 */
export async function send(step: Step, request: () => Promise<unknown>): Promise<HttpAnswer> {
	let answer: unknown;
	try {
		answer = await request();
	} catch (error) {
		throw failureOf(step, error);
	}
	if (!isHttpAnswer(answer)) {
		throw new ServiceError('foreign', 'The service’s answer has an unknown shape', { step });
	}
	return { ...answer, body: parsed(answer.body) };
}

/** JSON counts as such whatever its Content-Type; a part of one stays text. */
function parsed(body: unknown): unknown {
	if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return body;
	try {
		return JSON.parse(body.trim());
	} catch {
		return body;
	}
}

/**
 * Nothing of an HTTP client's error is kept: it holds the request with its token or secret. What is
 * left is n8n's own, such as a domain that its rules forbid.
 */
function failureOf(step: Step, error: unknown): unknown {
	const chain = causesOf(error);
	const known = chain.find((link) => link instanceof ServiceError);
	if (known) return known;
	const code = chain.map(codeOf).find((found) => found !== undefined);
	if (code === undefined && !chain.some(holdsRequest)) return error;
	if (code !== undefined && TLS_FAILURE.test(code)) {
		return new ServiceError(
			'foreign',
			`No secure connection could be made (${code}): the service’s certificate may be expired, incomplete or for another name`,
			{ step, isUnsent: UNSENT.test(code) },
		);
	}
	const message = CONNECTION_FAILURES[code ?? ''] ?? 'The connection to the service failed';
	const isUnsent = code !== undefined && UNSENT.test(code);
	return new ServiceError('unavailable', message, { step, isUnsent });
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
