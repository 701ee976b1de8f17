import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { PushAnswer, PushHost } from '../../../lab/engine/push';
import { JSON_TYPE, KEY, usePushHost } from '../../../lab/engine/push';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { jsonIn } from '../../../lab/values';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const HOUR = 3_600_000;
const LEAD = { applicant: { id: 'a' } };
const PAIR = { clientId: 'operator', clientSecret: 's:3 c%t of the agency' };
const GRANT = { grant_type: 'client_credentials' };
const FIELDS = { ...GRANT, client_id: PAIR.clientId, client_secret: PAIR.clientSecret };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
const CREDENTIAL = { authentication: 'clientCredentials', ...PAIR };

const world = usePushHost({ credential: CREDENTIAL });

const formOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

const ask = async (fields: Record<string, unknown> = FIELDS, authorization?: string) =>
	await world.host.post('token', fields, { ...JSON_TYPE, Authorization: authorization });

const told = ({ status, body }: PushAnswer) => [status, jsonIn(body)];

function tokenIn({ body }: PushAnswer): string {
	const { access_token: token } = jsonIn(body) as { access_token: string };
	return token;
}

const pushAs = async (token: string, host: PushHost = world.host) =>
	(await host.push(LEAD, { Authorization: `Bearer ${token}` })).status;

function change(stored: ICredentialDataDecryptedObject): void {
	Object.assign(world.host.credentials.rows.credential ?? {}, stored);
}

describe('the token address', () => {
	it.each([
		['as JSON', JSON.stringify(FIELDS), JSON_TYPE],
		['as a form', formOf(FIELDS), FORM_TYPE],
		[
			'by Basic',
			formOf(GRANT),
			{ ...FORM_TYPE, Authorization: basic('operator:s:3 c%t of the agency') },
		],
		[
			'by Basic, form-encoded',
			formOf(GRANT),
			{ ...FORM_TYPE, Authorization: basic('operator:s%3A3+c%25t%20of+the+agency') },
		],
		[
			'by Basic beside JSON',
			JSON.stringify(GRANT),
			{ ...JSON_TYPE, Authorization: basic('operator:s:3 c%t of the agency') },
		],
	])('issues a token for a pair that comes %s', async (_, body, headers) => {
		const answer = await world.host.post('token', body, headers);

		expect(told(answer)).toEqual([
			200,
			{
				access_token: expect.stringMatching(/^[\w.~+/-]+=*$/),
				token_type: 'Bearer',
				expires_in: 3_600,
			},
		]);
		expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
		expect(await pushAs(tokenIn(answer))).toBe(200);
		expect(world.logged).toEqual([]);
	});

	it.each<[string, Record<string, unknown>, number, string]>([
		['no grant type', PAIR, 400, 'invalid_request'],
		['another grant', { ...FIELDS, grant_type: 'password' }, 400, 'unsupported_grant_type'],
		['no pair', GRANT, 401, 'invalid_client'],
		['another secret', { ...FIELDS, client_secret: 'x' }, 401, 'invalid_client'],
		['another client', { ...FIELDS, client_id: 'x' }, 401, 'invalid_client'],
		['an object as secret', { ...FIELDS, client_secret: {} }, 401, 'invalid_client'],
	])('refuses %s as RFC 6749 has it', async (_, fields, status, error) => {
		const answer = await ask(fields);

		expect(told(answer)).toEqual([status, { error }]);
		expect(answer.headers).toMatchObject({
			'cache-control': 'no-store',
		});
		expect(answer.headers).not.toHaveProperty('www-authenticate');
		expect(world.logged).toEqual([]);
	});

	it.each([
		['nothing', '', JSON_TYPE],
		['no JSON', '"text"', JSON_TYPE],
		['a list', '[]', JSON_TYPE],
		['text', formOf(FIELDS), { 'Content-Type': 'text/plain' }],
	])('refuses %s', async (_, body, headers) => {
		const answer = await world.host.post('token', body, headers);

		expect(told(answer)).toEqual([400, { error: 'invalid_request' }]);
	});

	it('names the scheme of a pair that came by Basic', async () => {
		const answer = await ask(GRANT, basic('operator:wrong'));

		expect(told(answer)).toEqual([401, { error: 'invalid_client' }]);
		expect(answer.headers['www-authenticate']).toBe('Basic realm="leads"');
	});

	it('is not there for a key', async () => {
		change({ authentication: 'apiKey', apiKey: KEY });

		expect(told(await ask())).toEqual([404, undefined]);
	});

	it('issues no token as long as no secret is set', async () => {
		change({ clientSecret: '', nextClientSecret: '' });

		expect((await ask({ ...FIELDS, client_secret: '' })).status).toBe(401);
		expect((await ask(GRANT, basic('operator:'))).status).toBe(401);
	});

	it('issues a token for the audience that is set alone', async () => {
		change({ audience: 'leads of the agency' });

		expect(told(await ask())).toEqual([400, { error: 'invalid_target' }]);
		expect((await ask({ ...FIELDS, audience: 'leads of the agency' })).status).toBe(200);
	});

	it('is answered 503 if the credential was deleted', async () => {
		delete world.host.credentials.rows.credential;

		const { status, body } = await ask();

		expect([status, body]).toEqual([503, expect.stringContaining('Send it again later')]);
	});
});

describe('a token', () => {
	let token: string;

	beforeEach(async () => {
		token = tokenIn(await ask());
	});

	it('is refused once it has expired', async () => {
		world.pass(HOUR - 1_000);
		expect(await pushAs(token)).toBe(200);

		world.pass(1_000);
		expect(await pushAs(token)).toBe(401);
	});

	it('is refused by another node, and in another workflow', async () => {
		const { id: workflowId } = world.host;
		const nodes = [
			await world.another({ credential: CREDENTIAL, workflowId, nodeId: 'other' }),
			await world.another({ credential: CREDENTIAL }),
		];

		expect(await Promise.all(nodes.map((node) => pushAs(token, node)))).toEqual([401, 401]);
	});

	it.each(['bearer', 'BEARER '])('may come after “%s”', async (scheme) => {
		const { status } = await world.host.push(LEAD, { Authorization: `${scheme} ${token}` });

		expect(status).toBe(200);
	});

	it('is valid after a restart', async () => {
		const { id: workflowId } = world.host;

		const next = await world.another({ credential: CREDENTIAL, workflowId });

		expect(await pushAs(token, next)).toBe(200);
	});

	it('ends with its secret, and not before both secrets have changed', async () => {
		change({ clientSecret: 'next secret', nextClientSecret: PAIR.clientSecret });
		expect(await pushAs(token)).toBe(200);

		change({ nextClientSecret: '' });
		expect(await pushAs(token)).toBe(401);
	});

	it('ends with its client ID', async () => {
		change({ clientId: 'other' });

		expect(await pushAs(token)).toBe(401);
	});

	it('ends when the node goes back to a key', async () => {
		change({ authentication: 'apiKey', apiKey: KEY });

		expect(await pushAs(token)).toBe(401);
	});

	it.each([
		['none', undefined],
		['the secret', `Bearer ${PAIR.clientSecret}`],
		['the pair by Basic', basic(`${PAIR.clientId}:${PAIR.clientSecret}`)],
		['a token without a signature', 'Bearer zzzzzz.'],
		['no token at all', 'Bearer x.y.z'],
	])('is asked for by its scheme alone if a push has %s', async (_, authorization) => {
		const answer = await world.host.push(LEAD, { Authorization: authorization });

		expect([answer.status, answer.body]).toEqual([
			401,
			expect.stringContaining('"message":"The key or token'),
		]);
		expect(answer.headers['www-authenticate']).toBe('Bearer');
		expect(world.logged).toEqual([]);
	});
});
