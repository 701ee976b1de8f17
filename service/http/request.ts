import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { isObject, textOf } from '../basics/values';
import type { FailureDetails, RequestKind } from '../failure';
import { ServiceError } from '../failure';
import { lateAnswer, WORDS } from '../words';
import type { HttpAnswer } from './answer';
import { isHttpAnswer } from './answer';
import { bodyOf } from './body';
import { cancelled, orEnded } from './ending';

/**
 * Sends a request with one of n8n's request helpers, which use n8n's proxy settings and obey its rules for outgoing
 * requests.
 */
export type SendHttp = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * The options of every request. They make n8n's helpers return the full answer for every status. They also forbid
 * redirects, because a redirect could carry a secret or a token to another server.
 */
export const PLAIN_ANSWER = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	json: true,
	// The body is read as bytes, because n8n would decode any charset as UTF-8.
	encoding: 'arraybuffer',
} satisfies Partial<IHttpRequestOptions>;

/** A GET request, which may be sent again after a failure. */
export interface ReadRequest {
	/** The path after the API's base address, with a leading slash. */
	path: string;
	/** The query parameters. A list is sent as a repeated parameter. */
	query?: IDataObject;
	headers?: Record<string, string>;
}

const TROUBLES = WORDS.unavailable.messages;

/** The messages for a service that cannot be reached, by Node's error codes. */
const UNREACHABLE: Record<string, string | undefined> = {
	ECONNREFUSED: TROUBLES.refusedConnection,
	ENOTFOUND: TROUBLES.unknownName,
	EAI_AGAIN: TROUBLES.unreachable,
	EHOSTUNREACH: TROUBLES.unreachable,
	ENETUNREACH: TROUBLES.unreachable,
};

/** The error codes of Node and axios for a timeout. All other connection errors count as a lost connection. */
const LATE = ['ECONNABORTED', 'ETIMEDOUT'];

/** Matches the error codes of requests that failed before any byte was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|.*CERT.*|UNABLE_TO_.*)$/;

const TLS_FAILURE = /CERT|TLS|SSL|EPROTO|UNABLE_TO_(GET|VERIFY)/;

/** The longest time from the start of a request to the last byte of its answer, in milliseconds. */
export const TIMEOUTS_MS: Record<RequestKind, number> = { data: 60_000, token: 30_000 };

/**
 * A function that is called at the moment at which the request is sent. It starts the timeout of the request.
 *
 * @returns the options by which n8n's helper stops the request in time
 * @throws if it is too late to send the request
 */
export type Depart = () => Pick<IHttpRequestOptions, 'timeout' | 'abortSignal'>;

/**
 * Sends a request once and returns the answer, whatever its status is. The timeout covers the whole request, even if
 * the service keeps sending single bytes.
 *
 * @param signal stops the request before its usual timeout
 * @throws ServiceError if no complete answer arrived in time; the error of a cancellation if the answer is no longer
 * needed; errors of n8n itself as they are
 */
export async function send(
	requestKind: RequestKind,
	request: (depart: Depart) => Promise<unknown>,
	signal?: AbortSignal,
): Promise<HttpAnswer> {
	let isOnItsWay = false;
	const work = async (ended: AbortSignal, endBy: (signal: AbortSignal) => void) =>
		await request(() => {
			if (ended.aborted) throw cancelled();
			isOnItsWay = true;
			const timeout = TIMEOUTS_MS[requestKind];
			endBy(AbortSignal.timeout(timeout));
			return { timeout, abortSignal: ended };
		});
	const late = (): FailureDetails =>
		isOnItsWay ? { requestKind, isLate: true } : { requestKind: 'token', isUnsent: true };
	const answer = await orEnded(work, signal, late).catch((error: unknown) => {
		throw connectionFailure(requestKind, error);
	});
	if (!isHttpAnswer(answer)) {
		throw new ServiceError('foreign', WORDS.foreign.messages.unknownShape, { requestKind });
	}
	return { ...answer, body: bodyOf(answer) };
}

/**
 * Turns an error of the HTTP client into a ServiceError. No part of the original error is kept, because it contains the
 * request with its token or secret. An error that did not come from the HTTP client is n8n's own, for example about a
 * forbidden domain, and is returned as it is.
 */
function connectionFailure(requestKind: RequestKind, error: unknown): unknown {
	const chain = causesOf(error);
	const known = chain.find((link) => link instanceof ServiceError);
	if (known) return known;
	const code = chain.map((link) => textOf(link.code)).find(isErrorCode) ?? '';
	if (code === '' && !chain.some(holdsRequest)) return error;
	const details = { requestKind, isUnsent: UNSENT.test(code) };
	if (TLS_FAILURE.test(code)) {
		const { notSecure } = WORDS.foreign.messages;
		return new ServiceError('foreign', notSecure(code), { ...details, helpCode: 'certificate' });
	}
	if (LATE.includes(code)) return lateAnswer({ ...details, isLate: true });
	const unreachable = UNREACHABLE[code];
	const helpCode = unreachable === undefined ? 'noAnswer' : 'unreachable';
	const message = unreachable ?? TROUBLES.lostConnection;
	return new ServiceError('unavailable', message, { ...details, helpCode });
}

/** Returns the error and its causes, because n8n wraps the error of its HTTP client. */
function causesOf(error: unknown): IDataObject[] {
	const chain: IDataObject[] = [];
	let link = error;
	while (isObject(link) && chain.length < 5) {
		chain.push(link);
		link = link.cause ?? link.error;
	}
	return chain;
}

/** True for a code such as ECONNRESET. */
function isErrorCode(code: string): boolean {
	return /^[A-Z][A-Z0-9_]+$/.test(code);
}

function holdsRequest(link: IDataObject): boolean {
	return 'config' in link || 'request' in link || 'isAxiosError' in link;
}
