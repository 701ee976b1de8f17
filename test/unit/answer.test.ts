import { describe, expect, it } from '@jest/globals';
import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import type { Origin } from '../../service/answer';
import { readAnswer } from '../../service/answer';
import type { Step } from '../../service/errors';
import { ServiceError, toNodeError } from '../../service/errors';

const JSON_TYPE = { 'content-type': 'application/json' };

function failure(
	statusCode: number,
	body: unknown,
	{ step = 'data', headers = JSON_TYPE, secrets = [] }: Options = {},
): ServiceError {
	try {
		readAnswer({ api: 'leads', step, secrets }, { statusCode, headers, body });
	} catch (error) {
		if (error instanceof ServiceError) return error;
		throw error;
	}
	throw new Error('The answer was accepted');
}

interface Options {
	step?: Step;
	headers?: Record<string, string>;
	secrets?: string[];
}

describe('an answer', () => {
	it('in 2xx is its object', () => {
		const body = { applicants: [] };
		const origin: Origin = { api: 'leads', step: 'data', secrets: [] };
		expect(readAnswer(origin, { statusCode: 200, headers: {}, body })).toBe(body);
	});

	it.each([
		['errors with message', { errors: [{ message: 'No', code: 'bad_id', links: [] }] }, 'bad_id'],
		['errors with reason', { errors: [{ reason: 'No', code: 1011003 }] }, '1011003'],
		['a problem', { type: 'x', title: 'Bad', status: 400, detail: 'No', code: 7 }, '7'],
		['an OAuth error', { error: 'invalid_request', error_description: 'No' }, 'invalid_request'],
	])('in the shape of %s gives words and code', (_, body, code) => {
		expect(failure(400, body).details).toMatchObject({ reason: 'No', code, status: 400 });
	});

	it.each([
		['nothing', ''],
		['a web page', '<html><body>Bad gateway</body></html>'],
		['half a JSON', '{"errors":[{"mess'],
		['a list', []],
		['null', null],
		['errors that are none', { errors: ['x'] }],
	])('with %s for a body is still an error of its status', (_, body) => {
		const error = failure(502, body);
		expect(error).toMatchObject({ kind: 'unavailable', details: { status: 502 } });
		expect(error.details.reason).toBeUndefined();
	});

	it.each([
		['half a JSON', '{"applicants":[{"id"', 'unavailable'],
		['a web page', '<!doctype html><p>Hello', 'foreign'],
		['a word', 'OK', 'foreign'],
		['nothing', '', 'foreign'],
		['a list', [1], 'foreign'],
	])('in 200 with %s is %s', (_, body, kind) => {
		expect(failure(200, body).kind).toBe(kind);
	});

	it.each([
		[401, {}, 'credential', 'client ID and client secret'],
		[400, { error: 'invalid_client' }, 'credential', 'client ID and client secret'],
		[403, { error: 'access_denied' }, 'credential', 'audience'],
		[400, { error: 'invalid_target' }, 'credential', 'audience'],
		[400, { error: 'invalid_request' }, 'credential', 'refused to hand out a token'],
		[404, '', 'foreign', 'no token service'],
		[302, '', 'foreign', 'redirects'],
		[429, '', 'busy', 'too busy'],
	])('of the token endpoint with %d %j is %s', (status, body, kind, words) => {
		const error = failure(status, body, { step: 'token' });
		expect(error.kind).toBe(kind);
		expect(error.message).toContain(words);
	});

	it('of 200 that holds errors only is a refusal in their words', () => {
		const error = failure(200, { errors: [{ message: 'Choose one branch', code: 'filter' }] });
		expect(error).toMatchObject({ kind: 'rejected', details: { reason: 'Choose one branch' } });
	});

	it('is told in plain, short text without secrets', () => {
		const reason = `<b>Client</b>\n"s3 cret" and s3%20cret, s3+cret refused ${'x'.repeat(999)}`;
		const { details } = failure(
			400,
			{ errors: [{ message: reason, code: 1 }] },
			{ secrets: ['s3 cret'] },
		);
		expect(details.reason).toMatch(/^Client "…" and …, … refused x+$/);
		expect(details.reason).toHaveLength(300);
	});
});

describe('the error in n8n', () => {
	const node: INode = {
		id: '1',
		name: 'Agent Leads',
		type: 'agentLeads',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};

	it('keeps the cause with its status and Retry-After, and declares the wait', () => {
		const error = failure(429, '', { headers: { 'retry-after': '300' } }).afterTries(1, 0);
		const nodeError = toNodeError(node, error, { itemIndex: 4 });
		expect(nodeError).toBeInstanceOf(NodeApiError);
		expect(nodeError).toMatchObject({
			message: 'The service is busy and asks to wait (429)',
			httpCode: '429',
			failure: { cause: 'rate-limited', retryAfterMs: 300_000 },
			context: { itemIndex: 4 },
			cause: { response: { status: 429, headers: { 'retry-after': '300' } } },
		});
		expect(nodeError.description).toContain('asks to wait 300 seconds');
	});

	it.each([
		['busy', { cause: 'rate-limited' }],
		['unavailable', { cause: 'temporarily-unavailable' }],
		['credential', { cause: 'credential-invalid' }],
		['forbidden', { cause: 'credential-invalid' }],
		['rejected', { cause: 'configuration-invalid' }],
		['foreign', { cause: 'configuration-invalid' }],
	] as const)('declares for %s: %j', (kind, declared) => {
		expect(toNodeError(node, new ServiceError(kind, 'x')).failure).toEqual(declared);
	});
});
