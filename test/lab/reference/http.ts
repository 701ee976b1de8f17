import { request as send } from 'undici';

/** A request as it should stand on the wire. */
export interface WireRequest {
	method: 'GET' | 'POST' | 'PATCH';
	url: string;
	headers: Record<string, string>;
	body?: string;
}

/** What came back; a redirect is an answer like any other. */
export interface WireAnswer {
	status: number;
	/** By names in lower case. */
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

/** Where an API is, and who asks. */
export interface Door {
	baseUrl: string;
	token: string;
}

/** Several values are a repeated parameter; a date is in UTC and whole seconds. */
export type Query = Record<string, string | number | boolean | Date | string[] | undefined>;

export const DEADLINE_MS = 60_000;

/**
 * Sends a request once: nothing is repeated and no redirect is followed.
 *
 * @param deadlineMs for the whole exchange, in milliseconds
 * @throws what undici throws, when there is no whole answer
 */
export async function exchange(
	{ url, ...rest }: WireRequest,
	deadlineMs = DEADLINE_MS,
): Promise<WireAnswer> {
	const signal = AbortSignal.timeout(deadlineMs);
	const { statusCode, headers, body } = await send(url, { ...rest, signal });
	return { status: statusCode, headers, text: await body.text() };
}

/** A request that only reads. */
export function get(
	{ baseUrl, token }: Door,
	path: string,
	query: object = {},
	headers: Record<string, string> = {},
): WireRequest {
	return {
		method: 'GET',
		url: joined(baseUrl, path) + searchOf({ ...query }),
		headers: { ...authorized(token), ...headers },
	};
}

/** A request that changes something. */
export function write(
	method: 'POST' | 'PATCH',
	{ baseUrl, token }: Door,
	path: string,
	content: object,
): WireRequest {
	return {
		method,
		url: joined(baseUrl, path),
		headers: { ...authorized(token), 'content-type': 'application/json' },
		body: JSON.stringify(content),
	};
}

/** A base address is the same with and without a slash at its end. */
export function joined(baseUrl: string, path: string): string {
	return baseUrl.replace(/\/+$/, '') + path;
}

/** As the leads want it, and as everything else takes it: `2026-03-02T09:15:30Z`. */
export function wholeSecond(time: Date): string {
	return time.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function authorized(token: string): Record<string, string> {
	return { authorization: `Bearer ${token}`, accept: 'application/json' };
}

function searchOf(query: Query): string {
	const pairs = Object.entries(query).flatMap(([name, value]) =>
		textsOf(value).map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`),
	);
	return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function textsOf(value: Query[string]): string[] {
	if (value === undefined) return [];
	if (Array.isArray(value)) return value;
	return [value instanceof Date ? wholeSecond(value) : String(value)];
}
