import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { isObject, textOf } from '../basics/values';
import type { FailureDetails, RequestKind } from '../failure';
import { ServiceError } from '../failure';
import { lateAnswer, WORDS } from '../words';
import type { HttpAnswer } from './answer';
import { isHttpAnswer } from './answer';
import { bodyOf } from './body';
import { cancelled, orEnded } from './ending';

/** One of n8n's request helpers, which know the host's proxies and egress rules. */
export type SendHttp = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * What every request of this package asks of n8n's helpers: the whole answer whatever its status, and no redirect,
 * since a redirect would carry a secret or a token to wherever it leads.
 */
export const PLAIN_ANSWER = {
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	json: true,
} satisfies Partial<IHttpRequestOptions>;

const TROUBLES = WORDS.unavailable.messages;

/** Why the service cannot be reached, by Node's codes (errno) for failures from before a byte of the request was sent. */
const UNREACHABLE: Record<string, string | undefined> = {
	ECONNREFUSED: TROUBLES.refusedConnection,
	ENOTFOUND: TROUBLES.unknownName,
	EAI_AGAIN: TROUBLES.unreachable,
};

/** Codes of Node and axios; every other one of a connection means that it was lost. */
const LATE = ['ECONNABORTED', 'ETIMEDOUT'];

/** Of a certificate, before a byte of the request was sent, or of the secure connection. */
const CERTIFICATE = /CERT|UNABLE_TO_/;
const TLS_FAILURE = /CERT|TLS|SSL|EPROTO|UNABLE_TO_/;

/** How long a request may take from its first byte to the last one of its answer. */
export const TIMEOUTS_MS: Record<RequestKind, number> = { data: 60_000, token: 30_000 };

/**
 * Called at the moment when the request goes out, from which on its time counts.
 *
 * @returns what n8n's helper has to know to end it
 * @throws when it is too late to send it
 */
export type Depart = () => Pick<IHttpRequestOptions, 'timeout' | 'abortSignal'>;

/**
 * Sends once and returns the answer, whatever its status. The timeout is for the request as a whole: a service that
 * answers a byte now and then does not keep it alive.
 *
 * @param signal ends the request before the usual time of its kind is over
 * @throws ServiceError when no whole answer came in time; an error of the abort when nobody needs it any more; errors of
 * n8n itself as they are
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
 * Nothing of an HTTP client's error is kept: it holds the request with its token or secret. An error that no HTTP client
 * made is n8n's own and stays as it is, such as one on a domain that n8n's rules forbid.
 */
function connectionFailure(requestKind: RequestKind, error: unknown): unknown {
	const chain = causesOf(error);
	const known = chain.find((link) => link instanceof ServiceError);
	if (known) return known;
	const code = chain.map((link) => textOf(link.code)).find(isErrorCode) ?? '';
	if (code === '' && !chain.some(holdsRequest)) return error;
	const unreachable = UNREACHABLE[code];
	const isUnsent = unreachable !== undefined || CERTIFICATE.test(code);
	const details = { requestKind, isUnsent };
	if (TLS_FAILURE.test(code)) {
		const { notSecure } = WORDS.foreign.messages;
		return new ServiceError('foreign', notSecure(code), { ...details, helpCode: 'certificate' });
	}
	if (LATE.includes(code)) return lateAnswer({ ...details, isLate: true });
	const helpCode = unreachable === undefined ? 'noAnswer' : 'unreachable';
	const message = unreachable ?? TROUBLES.lostConnection;
	return new ServiceError('unavailable', message, { ...details, helpCode });
}

/** The error and what it was made from: n8n wraps what its HTTP client threw. */
function causesOf(error: unknown): IDataObject[] {
	const chain: IDataObject[] = [];
	let link = error;
	while (isObject(link) && chain.length < 5) {
		chain.push(link);
		link = link.cause ?? link.error;
	}
	return chain;
}

/** Such as ECONNRESET. */
function isErrorCode(code: string): boolean {
	return /^[A-Z][A-Z0-9_]+$/.test(code);
}

function holdsRequest(link: IDataObject): boolean {
	return 'config' in link || 'request' in link || 'isAxiosError' in link;
}
