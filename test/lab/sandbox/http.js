// @ts-check
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream');

/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

const LARGEST_BODY = 1024 * 1024;

/** A handler's way out with an answer that is not the expected one. */
class Refusal extends Error {
	/** @param {Answer} answer */
	constructor(answer) {
		super(`refused with ${answer.status}`);
		this.answer = answer;
	}
}

/**
 * Reads to the end even what is too large: a client that is still writing would otherwise see a reset
 * instead of the answer.
 *
 * @param {IncomingMessage} request
 * @returns {Promise<Call>}
 */
async function readCall(request) {
	const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
	/** @type {Buffer[]} */
	const parts = [];
	let length = 0;
	for await (const chunk of request) {
		const part = Buffer.from(chunk);
		length += part.length;
		if (length <= LARGEST_BODY) parts.push(part);
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

/**
 * @param {number} status
 * @param {unknown} value
 * @param {Record<string, string>} [headers]
 * @returns {Answer}
 */
function json(status, value, headers) {
	return {
		status,
		headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
		body: JSON.stringify(value),
	};
}

/**
 * @param {number} status
 * @param {string} title
 * @returns {Answer} the page of a proxy that stands in the way
 */
function htmlPage(status, title) {
	return {
		status,
		headers: { 'Content-Type': 'text/html; charset=utf-8' },
		body: `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1><p>Please try again later.</p></body></html>\n`,
	};
}

/**
 * @param {Answer} answer
 * @returns {string}
 */
function bodyText(answer) {
	return typeof answer.body === 'string' ? answer.body : Array.from(answer.body).join('');
}

/**
 * @param {ServerResponse} response
 * @param {Answer} answer
 * @param {number | null} now epoch milliseconds, for the Date header; null: there is none
 * @param {number} [length] the declared length of the body
 */
function writeHead(response, answer, now, length) {
	response.sendDate = false;
	response.writeHead(answer.status, {
		...answer.headers,
		...(now === null ? {} : { Date: new Date(now).toUTCString() }),
		...(length === undefined ? {} : { 'Content-Length': String(length) }),
	});
}

/**
 * @param {ServerResponse} response
 * @param {Answer} answer
 * @param {number | null} now epoch milliseconds
 */
function send(response, answer, now) {
	if (typeof answer.body === 'string') {
		writeHead(response, answer, now, Buffer.byteLength(answer.body));
		response.end(answer.body);
		return;
	}
	writeHead(response, answer, now);
	// A client that goes away in the middle is its own affair.
	pipeline(Readable.from(answer.body), response, () => {});
}

/**
 * @param {string | undefined} contentType
 * @param {string} wanted
 */
function isType(contentType, wanted) {
	return (contentType ?? '').split(';')[0]?.trim().toLowerCase() === wanted;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

module.exports = {
	Refusal,
	readCall,
	json,
	htmlPage,
	bodyText,
	writeHead,
	send,
	isType,
	isRecord,
};
