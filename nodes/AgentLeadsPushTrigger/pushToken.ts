import { createHmac, timingSafeEqual } from 'node:crypto';

import { HOUR_MS, SECOND_MS } from '../../service/basics/times';

/** How long a token is valid: long enough that few are needed, and short enough that a leak ends by itself. */
const LIFETIME_MS = HOUR_MS;

/** A client ID and its secret, which the person gave to the operator. */
export interface PushClient {
	clientId: string;
	clientSecret: string;
}

interface TokenDoor {
	clients: PushClient[];
	/** What no other node accepts tokens for. */
	name: string;
}

/** RFC 6749 §5.1 */
export interface TokenAnswer {
	access_token: string;
	token_type: 'Bearer';
	/** Seconds. */
	expires_in: number;
}

/**
 * A token that needs no memory: it says when it expires, and is signed with the client's secret. So each process of
 * n8n knows it, after a restart as well, and it ends with the secret.
 *
 * @param now epoch milliseconds
 */
export function issueToken(name: string, client: PushClient, now: number): TokenAnswer {
	const expiresAt = Math.floor((now + LIFETIME_MS) / SECOND_MS).toString(36);
	const signature = signatureOf(name, client, expiresAt).toString('base64url');
	return {
		access_token: `${expiresAt}.${signature}`,
		token_type: 'Bearer',
		expires_in: LIFETIME_MS / SECOND_MS,
	};
}

/** @param now epoch milliseconds */
export function isTokenOf({ name, clients }: TokenDoor, token: string, now: number): boolean {
	const [expiresAt = '', signature = '', ...rest] = token.split('.');
	const given = Buffer.from(signature, 'base64url');
	let isSigned = false;
	for (const client of clients) {
		const expected = signatureOf(name, client, expiresAt);
		if (given.length === expected.length && timingSafeEqual(given, expected)) isSigned = true;
	}
	const expiry = Number.parseInt(expiresAt, 36) * SECOND_MS;
	// No token is issued for longer: a clock that went back must not prolong it.
	return isSigned && rest.length === 0 && now < expiry && expiry - now <= LIFETIME_MS;
}

function signatureOf(name: string, { clientId, clientSecret }: PushClient, expiresAt: string) {
	const what = JSON.stringify(['push token', name, clientId, expiresAt]);
	return createHmac('sha256', clientSecret).update(what).digest();
}
