import { describe, expect, it } from '@jest/globals';
import type { INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

import { ServiceError, toNodeError } from '../../service/errors';
import { send } from '../../service/transport';

const node: INode = {
	id: '1',
	name: 'Agent Leads',
	type: 'agentLeads',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** An error as n8n's HTTP client throws it and n8n wraps it: the request is inside. */
function clientError(code?: string): NodeApiError {
	const cause = Object.assign(new Error('client_secret=s3cret'), {
		...(code && { code }),
		isAxiosError: true,
		config: { data: 'client_secret=s3cret', headers: { authorization: 'Bearer s3cret' } },
	});
	return new NodeApiError(node, cause as never, {});
}

async function failureOf(error: Error): Promise<unknown> {
	const [outcome] = await Promise.allSettled([
		send('token', async () => await Promise.reject(error)),
	]);
	return outcome.status === 'rejected' ? outcome.reason : undefined;
}

/** Everything that hangs on an error, own and inherited by `cause`, to any depth. */
function everythingIn(value: unknown, seen = new Set<unknown>()): string {
	if (typeof value !== 'object' || value === null || seen.has(value)) return String(value);
	seen.add(value);
	return Object.getOwnPropertyNames(value)
		.map((key) => everythingIn(Reflect.get(value, key), seen))
		.join('\n');
}

describe('an answer', () => {
	const bodyOf = async (body: unknown) =>
		(await send('data', async () => await Promise.resolve({ statusCode: 200, headers: {}, body })))
			.body;

	it.each([
		['an object', '{"applicants":[]}', { applicants: [] }],
		['a list', '[{"id":"a"}]', [{ id: 'a' }]],
		['behind a mark of its byte order and blanks', '\ufeff\n {"a":1}\r\n', { a: 1 }],
	])('in JSON that came as text is what it holds: %s', async (_, body, data) => {
		expect(await bodyOf(body)).toEqual(data);
	});

	it.each(['{"applicants":[{"id"', '[', 'OK', '', '"text"', undefined])(
		'that is no whole JSON stays as it is: %s',
		async (body) => {
			expect(await bodyOf(body)).toBe(body);
		},
	);
});

describe('a request without an answer', () => {
	it.each([
		'ECONNRESET',
		'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'E2BIG',
		'weird code',
		undefined,
	])('leaves nothing of the request in the error (%s)', async (code) => {
		const failure = await failureOf(clientError(code));
		expect(failure).toBeInstanceOf(ServiceError);
		if (!(failure instanceof ServiceError)) return;
		expect(everythingIn(failure)).not.toContain('s3cret');
		expect(everythingIn(toNodeError(node, failure))).not.toContain('s3cret');
	});

	it.each([
		['ECONNREFUSED', 'unavailable'],
		['ECONNABORTED', 'unavailable'],
		['ENOTFOUND', 'unavailable'],
		['CERT_HAS_EXPIRED', 'foreign'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'foreign'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'foreign'],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'foreign'],
	])('%s is %s', async (code, kind) => {
		expect(await failureOf(clientError(code))).toMatchObject({ kind });
	});

	it('passes what n8n itself says on', async () => {
		const forbidden = new Error('Domain not allowed');
		expect(await failureOf(forbidden)).toBe(forbidden);
	});

	it('passes a failure of the token request on as it is', async () => {
		const failure = new ServiceError('credential', 'no');
		expect(await failureOf(new NodeApiError(node, failure as never))).toBe(failure);
	});
});
