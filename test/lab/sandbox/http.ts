import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, pipeline } from 'node:stream';

import type { Answer, Call } from './types';

const LARGEST_BODY = 1024 * 1024;

/** Thrown by whoever handles a request, to answer with a refusal. */
export class Refusal extends Error {
	constructor(readonly answer: Answer) {
		super(`refused with ${answer.status}`);
	}
}

/**
 * Reads even a body that is too large to its end: otherwise a client that is still writing would see a reset
 * in place of the answer.
 */
export async function readCall(request: IncomingMessage): Promise<Call> {
	const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
	const parts: Buffer[] = [];
	let length = 0;
	for await (const chunk of request) {
		if (!Buffer.isBuffer(chunk)) throw new Error('the body is not read as bytes');
		length += chunk.length;
		if (length <= LARGEST_BODY) parts.push(chunk);
	}
	return {
		method: request.method ?? 'GET',
		path: url.pathname,
		search: url.search,
		query: url.searchParams,
		headers: request.headers,
		body: Buffer.concat(parts).toString('utf8'),
		bodyTooLarge: length > LARGEST_BODY,
	};
}

export function json(status: number, value: unknown, headers?: Record<string, string>): Answer {
	return {
		status,
		headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
		body: JSON.stringify(value),
	};
}

/** @returns a web page, as a proxy in front of the service answers */
export function htmlPage(status: number, title: string): Answer {
	return {
		status,
		headers: { 'Content-Type': 'text/html; charset=utf-8' },
		body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>Please try again later.</p></body></html>\n`,
	};
}

export function bodyText(answer: Answer): string {
	return typeof answer.body === 'string' ? answer.body : Array.from(answer.body).join('');
}

/**
 * @param now epoch milliseconds, for the Date header
 * @param length the declared length of the body
 */
export function writeHead(
	response: ServerResponse,
	answer: Answer,
	now: number,
	length?: number,
): void {
	response.sendDate = false;
	response.writeHead(answer.status, {
		...answer.headers,
		Date: new Date(now).toUTCString(),
		...(length === undefined ? {} : { 'Content-Length': String(length) }),
	});
}

/** @param now epoch milliseconds */
export function send(response: ServerResponse, answer: Answer, now: number): void {
	if (typeof answer.body === 'string') {
		writeHead(response, answer, now, Buffer.byteLength(answer.body));
		response.end(answer.body);
		return;
	}
	writeHead(response, answer, now);
	// A client may go away before the end; that is no failure.
	pipeline(Readable.from(answer.body), response, () => {});
}

export function isType(contentType: string | undefined, wanted: string): boolean {
	return (contentType ?? '').split(';')[0]?.trim().toLowerCase() === wanted;
}
