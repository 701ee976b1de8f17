import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { SECOND_MS } from '../basics/times';
import { ServiceError } from '../failure';
import { readAnswer } from '../http/answer';
import type { Depart, SendHttp } from '../http/request';
import { PLAIN_ANSWER, send } from '../http/request';
import { WORDS } from '../words';
import type { Grant } from './grant';
import { originOf } from './grant';

/** The token that the service issued, and its expiry time. */
export interface TokenAnswer {
	accessToken: string;
	/** When the token expires, in epoch milliseconds; 0 if the service’s answer contains no usable lifetime. */
	expiresAt: number;
}

/**
 * Asks the service for a token once (RFC 6749 §4.4). Several callers may wait for the same request, so no caller's
 * deadline applies to it. No other function sends the plain secret.
 *
 * @throws ServiceError
 */
export async function requestToken(http: SendHttp, grant: Grant): Promise<TokenAnswer> {
	const { clientId, clientSecret, isPairInForm, purpose } = grant;
	const secret = await clientSecret.reveal();
	const form = {
		grant_type: 'client_credentials',
		...(isPairInForm && { client_id: clientId, client_secret: secret }),
		...purpose,
	};
	const options: IHttpRequestOptions = {
		...PLAIN_ANSWER,
		method: 'POST',
		url: grant.tokenUrl,
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			accept: 'application/json',
			...(!isPairInForm && { authorization: basic(clientId, secret) }),
		},
		body: new URLSearchParams(form).toString(),
	};
	const ask = async (depart: Depart) => await http({ ...options, ...depart() });
	return readToken(readAnswer(originOf(grant, 'token'), await send('token', ask)));
}

/**
 * Makes the Authorization header for HTTP Basic. The service expects the client ID, a colon and the secret as they are,
 * in the base64 form of UTF-8, without the percent-encoding that RFC 6749 §2.3.1 requires.
 */
function basic(clientId: string, clientSecret: string): string {
	return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

/**
 * Reads an access token response (RFC 6749 §5.1). The token's lifetime is counted from the arrival of this answer. If
 * the token expires while a later request carries it to the service, the service answers 401 and the token is replaced.
 */
function readToken(answer: IDataObject): TokenAnswer {
	const { access_token: accessToken, expires_in: lifetime } = answer;
	if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) {
		throw new ServiceError('foreign', WORDS.foreign.messages.withoutToken, {
			requestKind: 'token',
		});
	}
	const seconds = typeof lifetime === 'string' ? Number(lifetime) : lifetime;
	const isUsable = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
	return { accessToken, expiresAt: isUsable ? Date.now() + seconds * SECOND_MS : 0 };
}
