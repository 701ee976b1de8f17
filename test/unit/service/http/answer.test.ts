import { describe, expect, it } from '@jest/globals';

import type { HttpAnswer, Origin } from '../../../../service/http/answer';
import { readAnswer, readList, tokenRefusalIn } from '../../../../service/http/answer';
import type { RequestKind } from '../../../../service/failure';
import { ServiceError } from '../../../../service/failure';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';

const { words } = LEADS_INTEGRATION;

const JSON_TYPE = { 'content-type': 'application/json' };

function failure(
	statusCode: number,
	body: unknown,
	{ requestKind = 'data', headers = JSON_TYPE, secrets = [] }: Options = {},
): ServiceError {
	try {
		readAnswer({ requestKind, words, secrets }, { statusCode, headers, body });
	} catch (error) {
		if (error instanceof ServiceError) return error;
		throw error;
	}
	throw new Error('The answer was accepted');
}

interface Options {
	requestKind?: RequestKind;
	headers?: HttpAnswer['headers'];
	secrets?: string[];
}

const CREDENTIAL_REFUSED = { kind: 'credential', helpCode: 'credentialRefused' } as const;
const SERVICE_FAULT = { kind: 'unavailable', helpCode: 'serviceFault' } as const;

describe('an answer', () => {
	it.each([
		['nothing', ''],
		['a web page', '<html><body>Bad gateway</body></html>'],
		['half a JSON', '{"errors":[{"mess'],
		['a list', []],
		['null', null],
		['errors that are none', { errors: [null, {}, [], '', { message: { text: 'x' } }] }],
	])('with %s for a body is still an error of its status', (_, body) => {
		const error = failure(502, body);

		expect(error).toMatchObject({ kind: 'unavailable', details: { status: 502 } });
		expect(error.details.reason).toBeUndefined();
	});

	it.each([
		['half a JSON', '{"applicants":[{"id"', 'unavailable', 'noAnswer', 'cut short'],
		['half a JSON behind blanks', ' \n{"applicants"', 'unavailable', 'noAnswer', 'cut short'],
		['JSON that ends in a list', '{"applicants":[1,2', 'unavailable', 'noAnswer', 'cut short'],
		['JSON that ends in a comma', '{"a":[{"id":1} ,', 'unavailable', 'noAnswer', 'cut short'],
		['two and a blank', '{"id":1}{"id":2} \n', 'foreign', 'unreadableAnswer', 'not valid JSON'],
		['JSON that ends in a word', '{"applicants":nul', 'unavailable', 'noAnswer', 'cut short'],
		['a word that is no JSON', '{"price":NaN}', 'foreign', 'unreadableAnswer', 'not valid JSON'],
		['a faulty sign', '{"text":"\\q","id":1}', 'foreign', 'unreadableAnswer', 'not valid JSON'],
		['two objects', '{"id":1}\n{"id":2}', 'foreign', 'unreadableAnswer', 'not valid JSON'],
		['a word and half a JSON', 'OK {"applicants"', 'foreign', 'wrongAddress', 'cannot read'],
		['a text', 'Hello', 'foreign', 'wrongAddress', 'cannot read'],
		['a web page', '<!doctype html><p>Hello', 'foreign', 'wrongAddress', 'web page'],
		['nothing', '', 'foreign', 'wrongAddress', 'cannot read'],
		['a list', [1], 'foreign', 'wrongAddress', 'cannot read'],
	])('in 200 with %s is %s', (_, body, kind, helpCode, message) => {
		const error = failure(200, body);

		expect(error).toMatchObject({ kind, helpCode, details: { requestKind: 'data' } });
		expect(error.message).toContain(message);
	});

	it.each<[RequestKind, number, unknown, Partial<ServiceError>]>([
		['token', 401, { error: 'invalid_request' }, CREDENTIAL_REFUSED],
		['token', 403, { error: 'invalid_client' }, CREDENTIAL_REFUSED],
		['token', 400, {}, CREDENTIAL_REFUSED],
		['token', 403, {}, { kind: 'credential', helpCode: 'tokenRefused' }],
		['token', 400, { error: 'invalid_scope' }, { kind: 'credential', helpCode: 'tokenRefused' }],
		['token', 404, {}, { kind: 'foreign', helpCode: 'wrongAddress' }],
		['token', 405, {}, { kind: 'foreign', helpCode: 'wrongAddress' }],
		['token', 400, { error: 'temporarily_unavailable' }, SERVICE_FAULT],
		['token', 500, { error: 'invalid_client' }, SERVICE_FAULT],
		['data', 401, {}, { kind: 'credential', helpCode: 'tokenRefused' }],
		['data', 403, {}, { kind: 'forbidden', helpCode: 'forbidden' }],
		['data', 404, {}, { kind: 'rejected', helpCode: 'wrongAddress' }],
		['data', 400, { code: 'server_error' }, { kind: 'rejected', helpCode: 'badRequest' }],
		['data', 400, { error: 'invalid_client' }, { kind: 'rejected', helpCode: 'badRequest' }],
		['data', 199, {}, { kind: 'rejected', helpCode: 'badRequest' }],
		['data', 300, {}, { kind: 'foreign', helpCode: 'wrongAddress' }],
		['data', 399, {}, { kind: 'foreign', helpCode: 'wrongAddress' }],
		['data', 429, {}, { kind: 'busy', helpCode: 'busy' }],
		['data', 403, { error: 'Rate limit exceeded' }, { kind: 'busy', helpCode: 'busy' }],
		['data', 451, {}, { kind: 'rejected', helpCode: 'badRequest' }],
		['data', 500, {}, SERVICE_FAULT],
	])('to a request for %s with %d %j tells what to do', (requestKind, status, body, expected) => {
		const { kind, helpCode, details } = failure(status, body, { requestKind });

		expect({ kind, helpCode }).toEqual(expected);
		expect(details).toMatchObject({ requestKind, status });
	});

	const BETWEEN = { kind: 'unavailable', helpCode: 'noAnswer' } as const;
	const LOGIN = { kind: 'foreign', helpCode: 'unreachable' } as const;
	const ADDRESS = { kind: 'foreign', helpCode: 'wrongAddress' } as const;

	it.each<[number[], Partial<ServiceError>]>([
		[[302, 404, 405, 410], ADDRESS],
		[[400, 401, 403, 413, 451], BETWEEN],
		[[407, 511], LOGIN],
		[[408, 421, 425, 499, 500, 503, 520, 521, 522, 523, 524, 525, 526, 530], SERVICE_FAULT],
		[[429], { kind: 'busy', helpCode: 'busy' }],
	])('of %j from a proxy blames neither the request nor the credential', (statuses, expected) => {
		for (const [type, page] of [
			['text/html', '<html><h1>Blocked</h1></html>'],
			['text/plain', 'Access denied'],
			['application/json', '<p>Ray ID: 7</p>'],
		]) {
			for (const requestKind of ['data', 'token'] as const) {
				for (const status of statuses) {
					const headers = { 'content-type': type };
					const { kind, helpCode } = failure(status, page, { requestKind, headers });

					expect({ status, kind, helpCode }).toEqual({ status, ...expected });
				}
			}
		}
	});

	it.each<[RequestKind, RegExp]>([
		['token', /^There is no token service at this address \(404\)/],
		['data', /^The service found nothing at this address \(404\)/],
	])('of 404 from a proxy to a request for %s says what is missing', (requestKind, message) => {
		expect(failure(404, '<html></html>', { requestKind }).message).toMatch(message);
	});

	it.each<[number, unknown, HttpAnswer['headers'], 401 | 403 | undefined]>([
		[401, {}, JSON_TYPE, 401],
		[401, 'Unauthorized', {}, 401],
		[403, {}, JSON_TYPE, 403],
		[403, '', {}, 403],
		[403, 'Forbidden', {}, undefined],
		[403, { message: 'Too many requests' }, JSON_TYPE, undefined],
		[403, {}, { 'retry-after': '1' }, undefined],
		[404, {}, JSON_TYPE, undefined],
	])('of %d with %j %j may be mended by another token: %s', (statusCode, body, headers, status) => {
		expect(tokenRefusalIn({ statusCode, headers, body })).toBe(status);
	});

	it.each([
		['nothing', undefined, undefined],
		['a problem with a detail alone', { detail: 'No such agency' }, true],
		['a problem with its status', { status: 404, code: 7 }, true],
		['the words of something else', { message: 'no Route matched' }, undefined],
	])('of 404 with %s is told from others', (_, body, isOwn) => {
		expect(failure(404, body).details.isOwnNotFound).toBe(isOwn);
	});

	it('of 200 that holds errors beside rows, of which some may be missing, is a refusal in their words', () => {
		const errors = [{ message: 'Choose one branch', code: 'filter' }];

		expect(failure(200, { applicants: [{ id: 'lead-1' }], errors })).toMatchObject({
			kind: 'rejected',
			details: { reason: 'Choose one branch', code: 'filter' },
		});
	});

	it.each([[{ id: 'a' }], [['a']], ['[]']])('that is no list but %j is a failure', (body) => {
		const origin: Origin = { requestKind: 'data', words, secrets: [] };

		expect(() => readList(origin, { statusCode: 200, headers: {}, body })).toThrow(ServiceError);
	});

	it.each([
		['by its header alone', { 'content-type': 'text/html; charset=utf-8' }, 'Please log in'],
		['by its first sign alone', { 'content-type': 'text/plain' }, '<html>'],
		['by its first sign behind blanks', {}, ' \n<!doctype html>'],
	])('is known as a web page %s', (_, headers, body) => {
		expect(failure(200, body, { headers }).message).toContain('web page');
	});
});
