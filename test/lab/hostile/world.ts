import type { RawRequest } from './rawPost';

/** A node that leads are pushed to. */
export interface HostileTarget {
	/** The path of its address for leads, from n8n's root on. */
	leads: string;
	/** The path of its address for tokens. */
	token: string;
	/** What its tokens are bound to: `workflow:node`. */
	name: string;
}

export interface Pair {
	clientId: string;
	clientSecret: string;
}

/** Two nodes, and what their operator shows them. */
export interface HostileWorld {
	byKey: HostileTarget;
	key: string;
	byToken: HostileTarget;
	pair: Pair;
}

/** A request that must start no run. */
export interface HostilePost extends RawRequest {
	name: string;
	/** Takes longer because of its size, whoever sends it. */
	isHeavy?: boolean;
}

/** Each body that could start a run holds it, so that it can be searched for. */
export const MARK = 'hostile07700900123';

export const JSON_TYPE: [string, string] = ['Content-Type', 'application/json'];

/** The body of a lead, as the operator pushes it. */
export const LEAD_BODY = JSON.stringify({
	applicant: { id: MARK, contact: { email: `${MARK}@example.com` } },
});

/** @param target the path that it goes to */
export function postOf(
	name: string,
	target: string,
	headers: Array<[string, string]>,
	body: Buffer | string = LEAD_BODY,
): HostilePost {
	const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
	const length: [string, string] = ['Content-Length', String(bytes.length)];
	return { name, method: 'POST', target, headers: [...headers, length], body: bytes };
}
