import { createHash, timingSafeEqual } from 'node:crypto';

import type { PushClient } from './pushToken';
import { isTokenOf } from './pushToken';

/** The RFC 6750 §2.1 form. The scheme is not case-sensitive (RFC 9110 §11.1). */
const BEARER = /^Bearer +([\w.~+/=-]+) *$/i;

/** Who may push, as the person set it; the second of a list is valid while the first is introduced. */
export type Door =
	| { authentication: 'apiKey'; keys: string[] }
	| {
			authentication: 'clientCredentials';
			clients: PushClient[];
			/** Empty: not checked. */
			audience: string;
			/** What no other node accepts tokens for. */
			name: string;
	  };

/**
 * Whether a push may come in. All that proves it is the header: a push is not signed.
 *
 * @param authorization the header as it came: the key verbatim, or a Bearer token
 * @param now epoch milliseconds
 */
export function mayPush(door: Door, authorization: string | undefined, now: number): boolean {
	if (authorization === undefined) return false;
	if (door.authentication === 'apiKey') return isOneOf(door.keys, authorization);
	const [, token] = BEARER.exec(authorization) ?? [];
	return token !== undefined && isTokenOf(door, token, now);
}

/** Looks at all of them, and takes the same time whatever is wrong. */
export function isOneOf(secrets: string[], given: string): boolean {
	let isKnown = false;
	for (const secret of secrets) {
		if (isSame(secret, given) && secret !== '') isKnown = true;
	}
	return isKnown;
}

function isSame(secret: string, given: string): boolean {
	return timingSafeEqual(digest(secret), digest(given));
}

/** Of equal length, whatever the texts are: their length is not told either. */
function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest();
}
