import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { NodeApiError } from 'n8n-workflow';

import { toNodeError } from '../../../../nodes/common/nodeErrors';
import { mayBeTaken, ServiceError } from '../../../../service/failure';
import type { Depart } from '../../../../service/http/request';
import { send } from '../../../../service/http/request';
import { WORDS } from '../../../../service/words';
import { Clocks } from '../../../lab/clocks';
import { createDeferredPromise } from '../../../lab/deferred';
import { workflowNode } from '../../../lab/workflowNode';

const node = workflowNode();

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
	const bodyOf = async (body: unknown, headers = {}) =>
		(await send('data', async () => await Promise.resolve({ statusCode: 200, headers, body })))
			.body;

	it.each<[string, BufferEncoding, string]>([
		['UTF-8 without a word', 'utf8', ''],
		['UTF-8', 'utf8', 'charset=utf-8'],
		['Latin 1', 'latin1', 'charset=ISO-8859-1'],
		['Latin 1 in quotes', 'latin1', 'boundary=x; charset="iso-8859-1"'],
		['UTF-16', 'utf16le', 'charset=utf-16'],
		['UTF-8 by an unknown name', 'utf8', 'charset=unknown-8bit'],
	])('is read in the charset that it names: %s', async (_, encoding, charset) => {
		const headers = { 'content-type': `application/json; ${charset}` };

		expect(await bodyOf(Buffer.from('{"message":"£450 for Zoë"}', encoding), headers)).toEqual({
			message: '£450 for Zoë',
		});
	});

	it.each([
		['an object', '{"applicants":[]}', { applicants: [] }],
		['a list', '[{"id":"a"}]', [{ id: 'a' }]],
		['behind a mark of its byte order and blanks', '\ufeff\n {"a":1}\r\n', { a: 1 }],
		['big', '["9007199254740993",9007199254740993]', ['9007199254740993', '9007199254740993']],
		['other numbers', '[1000000000000000,0.1234567890123456789]', [1e15, 0.12345678901234568]],
	])('in JSON that came as text is what it holds: %s', async (_, body, data) => {
		expect(await bodyOf(body)).toEqual(data);
	});

	it('in JSON may have line breaks and tabs in its texts that were not escaped', async () => {
		expect(await bodyOf('{"message":"one\ntwo\tthree",\n"id":1}')).toEqual({
			message: 'one two three',
			id: 1,
		});
	});

	it.each(['{"applicants":[{"id"', '[', 'OK', '', '"text"', '"{}"', undefined])(
		'that is no whole JSON stays as it is: %s',
		async (body) => {
			expect(await bodyOf(body)).toBe(body);
		},
	);
});

/** An error with so many causes, the last of which is that. */
function causedBy(depth: number, last: object): Error {
	let cause = last;
	for (let level = 1; level < depth; level++) cause = { cause };
	return Object.assign(new Error('x'), { cause });
}

describe('a request without an answer', () => {
	const { messages } = WORDS.unavailable;

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

	/** Whether the service can have taken an order is told by that. */
	const UNSENT = { isUnsent: true };
	const LOST = { isUnsent: false, helpCode: 'noAnswer' };
	const LATE = { isUnsent: false, isLate: true, helpCode: 'noAnswer' };

	it.each([
		['ECONNREFUSED', messages.refusedConnection, { ...UNSENT, helpCode: 'unreachable' }],
		['ENOTFOUND', messages.unknownName, { ...UNSENT, helpCode: 'unreachable' }],
		['EAI_AGAIN', messages.unreachable, { ...UNSENT, helpCode: 'unreachable' }],
		['EHOSTUNREACH', messages.unreachable, { ...LOST, helpCode: 'unreachable' }],
		['ENETUNREACH', messages.unreachable, { ...LOST, helpCode: 'unreachable' }],
		['ECONNRESET', messages.lostConnection, LOST],
		['ECONNABORTED', messages.late, LATE],
		['ETIMEDOUT', messages.late, LATE],
		['E2BIG', messages.lostConnection, LOST],
		['XECONNREFUSED', messages.lostConnection, LOST],
		['ECONNREFUSEDX', messages.lostConnection, LOST],
		['E', messages.lostConnection, LOST],
		['ECONNREFUSED ', messages.lostConnection, LOST],
		[' ECONNREFUSED', messages.lostConnection, LOST],
		[undefined, messages.lostConnection, LOST],
	])('says with %s what is known of it', async (code, message, details) => {
		expect(await failureOf(clientError(code))).toMatchObject({
			...{ kind: 'unavailable', message },
			details: { requestKind: 'token', ...details },
		});
	});

	it.each([
		['CERT_HAS_EXPIRED', true],
		['DEPTH_ZERO_SELF_SIGNED_CERT', true],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', true],
		['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', true],
		['ERR_TLS_CERT_ALTNAME_INVALID', true],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE', true],
		['ERR_SSL_WRONG_VERSION_NUMBER', false],
		['EPROTO', false],
	])('says of a certificate with %s whether it was sent: unsent %s', async (code, isUnsent) => {
		expect(await failureOf(clientError(code))).toMatchObject({
			...{ kind: 'foreign', message: WORDS.foreign.messages.notSecure(code) },
			details: { requestKind: 'token', isUnsent, helpCode: 'certificate' },
		});
	});

	it.each([
		['its own', Object.assign(new Error('x'), { code: 'ECONNREFUSED' })],
		['of what it holds', Object.assign(new Error('x'), { error: { code: 'ECONNREFUSED' } })],
		['four causes down', causedBy(4, { code: 'ECONNREFUSED' })],
	])('is told by a code, %s', async (_name, error) => {
		expect(await failureOf(error)).toMatchObject({ message: messages.refusedConnection });
	});

	it.each(['config', 'request', 'isAxiosError'])(
		'is told by an error that holds the request: %s',
		async (name) => {
			const error = Object.assign(new Error('x'), { [name]: {} });

			expect(await failureOf(error)).toMatchObject({ message: messages.lostConnection });
		},
	);

	it.each([
		['too far down', causedBy(5, { code: 'ECONNREFUSED' })],
		['not text', Object.assign(new Error('x'), { code: 7 })],
		['of another kind, but for its beginning', Object.assign(new Error('x'), { code: 'E2BIG!' })],
		['of another kind, but for its end', Object.assign(new Error('x'), { code: '!E2BIG' })],
		['of another kind', Object.assign(new Error('x'), { code: 'not_found' })],
		['under another name', Object.assign(new Error('x'), { errno: 'ECONNREFUSED' })],
		['in a text', Object.assign(new Error('x'), { cause: 'ECONNREFUSED' })],
	])('is not told by a code that is %s', async (_name, error) => {
		expect(await failureOf(error)).toBe(error);
	});

	it('is no answer of a service if it has another shape', async () => {
		await expect(send('data', async () => await Promise.resolve('ok'))).rejects.toMatchObject({
			...{ kind: 'foreign', message: WORDS.foreign.messages.unknownShape },
			details: { requestKind: 'data' },
		});
	});

	it('passes a failure of the token request on as it is', async () => {
		const failure = new ServiceError('credential', 'no');

		expect(await failureOf(new NodeApiError(node, failure as never))).toBe(failure);
	});
});

describe('the time of a request', () => {
	const never = async () => await new Promise<never>(() => undefined);

	/** Sends what departs at once, or once it is told to. */
	function sending(
		signal?: AbortSignal,
		afterDeparture: () => Promise<unknown> = never,
		beforeDeparture: Promise<void> = Promise.resolve(),
	) {
		const departures: Array<ReturnType<Depart>> = [];
		const refusals: unknown[] = [];
		const request = async (depart: Depart) => {
			await beforeDeparture;
			try {
				departures.push(depart());
			} catch (error) {
				refusals.push(error);
			}
			return await afterDeparture();
		};
		const outcome = send('data', request, signal);
		return { outcome, departures, refusals };
	}

	afterEach(() => {
		jest.restoreAllMocks();
		jest.useRealTimers();
	});

	it('that is over ends it, and what was sent may have been taken', async () => {
		const clocks = new Clocks();
		const { outcome, departures } = sending();
		const failure = outcome.catch((error: unknown) => error);
		await clocks.pass(60_000);

		const error = await failure;

		expect(error).toMatchObject({
			kind: 'unavailable',
			message: 'The service did not answer in time',
			details: { requestKind: 'data', isLate: true },
		});
		expect(error instanceof ServiceError && mayBeTaken(error)).toBe(true);
		expect(departures).toMatchObject([{ abortSignal: { aborted: true } }]);
	});

	it.each([
		['it is late', new DOMException('Over', 'TimeoutError')],
		['the execution is cancelled', undefined],
	])('that ends before it has a token, as %s: it is never sent', async (_, reason) => {
		const token = createDeferredPromise<void>();
		const ending = new AbortController();
		const { outcome, departures, refusals } = sending(ending.signal, never, token.promise);
		const failure = outcome.catch((error: unknown) => error);
		ending.abort(reason);

		expect(await failure).toMatchObject(
			reason
				? { kind: 'unavailable', details: { requestKind: 'token', isUnsent: true } }
				: { message: 'The execution was canceled' },
		);

		token.resolve();
		await new Promise((resolve) => setImmediate(resolve));
		expect(departures).toEqual([]);
		expect(refusals).toHaveLength(1);
	});
});
