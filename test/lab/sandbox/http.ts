import type { IncomingMessage, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import { text } from 'node:stream/consumers';

import type { Answer, Call, Integration } from './types';

/** Thrown by whoever handles a request, to answer with a refusal. */
export class Refusal extends Error {
	constructor(readonly answer: Answer) {
		super(`refused with ${answer.status}`);
	}
}

export async function readCall(request: IncomingMessage): Promise<Call> {
	const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
	const { method = 'GET', headers } = request;
	const { pathname: path, search, searchParams: query } = url;
	return { method, path, search, query, headers, body: await text(request) };
}

export function json(status: number, value: unknown, headers?: Record<string, string>): Answer {
	return {
		status,
		headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
		body: JSON.stringify(value),
	};
}

export function html(status: number, body: string): Answer {
	return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
}

/** @returns a web page, as a proxy in front of the service answers */
export function htmlPage(status: number, title: string): Answer {
	return html(
		status,
		`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>Please try again later.</p></body></html>\n`,
	);
}

/** How each API words a refusal. @param code of the API itself */
export const REFUSALS: Record<
	Integration,
	(status: number, message: string, code?: string | number) => Answer
> = {
	leads: (status, message, code = status * 10_000 + 1) =>
		status === 403 || status === 429
			? { status, body: '' }
			: json(status, { errors: [{ message, code, links: [] }] }),
	products: (status, reason, code = 1_010_000 + status) =>
		json(status, { errors: [{ reason, code }] }),
	inventory: (status, detail) => {
		const type = `https://example.com/problems/${status}`;
		const title = STATUS_CODES[status] ?? 'Error';
		return json(status, { type, title, status, detail, instance: '/inventory' });
	},
};

/** A token endpoint's shape of a refusal, by RFC 6749, 5.2. */
export function tokenError(status: number, error: string, description: string): Answer {
	return json(
		status,
		{ error, error_description: description },
		{
			'Cache-Control': 'no-store',
			...(status === 401 ? { 'WWW-Authenticate': 'Basic realm="token"' } : {}),
		},
	);
}

/**
 * @param now epoch milliseconds, for the Date header
 * @param half whether the connection ends in the middle of the body
 */
export function send(response: ServerResponse, answer: Answer, now: number, half = false): void {
	response.sendDate = false;
	response.writeHead(answer.status, {
		...answer.headers,
		Date: new Date(now).toUTCString(),
		'Content-Length': String(Buffer.byteLength(answer.body)),
	});
	if (half) response.write(halfOf(answer.body), () => response.destroy());
	else response.end(answer.body);
}

export function halfOf(body: string): string {
	return body.slice(0, Math.floor(body.length / 2));
}
