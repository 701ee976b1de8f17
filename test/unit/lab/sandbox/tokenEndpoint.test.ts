import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../lab/sandbox';
import { basic, body, request, tokenAddress, tokenRequest, type Client } from './helpers';
import fc from '../../../lab/properties';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await Sandbox.start();
});
afterAll(() => sandbox.stop());

type Change = Parameters<typeof tokenRequest>[2];
const FORM = 'application/x-www-form-urlencoded';

function usual(integration: Client['integration']): Client {
	const { leadsClient, productsClient, inventoryClient } = sandbox;
	return { leads: leadsClient, products: productsClient, inventory: inventoryClient }[integration];
}

async function refusal(client: Client, change: Change): Promise<[number, string]> {
	const reply = await tokenRequest(sandbox, client, change);
	return [reply.status, body<{ error: string }>(reply).error];
}

describe.each(['leads', 'products', 'inventory'] as const)('a token for %s', (integration) => {
	it('is given to the right form', async () => {
		const reply = await tokenRequest(sandbox, usual(integration));

		expect(reply.status).toBe(200);
		expect(body(reply)).toEqual({
			access_token: expect.stringMatching(/^[\w-]{32}$/),
			expires_in: 3600,
			token_type: 'Bearer',
		});
	});

	it('is refused for another content type', async () => {
		for (const type of ['application/json', 'text/plain', 'multipart/form-data']) {
			const refused = await refusal(usual(integration), { headers: { 'Content-Type': type } });
			expect(refused).toEqual([400, 'invalid_request']);
		}
	});

	it('is refused as JSON', async () => {
		const client = usual(integration);

		const reply = await request(tokenAddress(sandbox, client), {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Authorization: basic(client) },
			body: JSON.stringify({
				grant_type: 'client_credentials',
				client_id: client.clientId,
				client_secret: client.clientSecret,
			}),
		});

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([400, 'invalid_request']);
	});

	it('is refused without a grant type, for another one, and for one given twice', async () => {
		const client = usual(integration);

		expect(await refusal(client, { fields: { grant_type: undefined } })).toEqual([
			400,
			'invalid_request',
		]);
		expect(await refusal(client, { fields: { grant_type: 'password' } })).toEqual([
			400,
			'unsupported_grant_type',
		]);

		const twice = await request(tokenAddress(sandbox, sandbox.inventoryClient), {
			method: 'POST',
			headers: { 'Content-Type': FORM, Authorization: basic(sandbox.inventoryClient) },
			body: 'grant_type=client_credentials&grant_type=client_credentials',
		});

		expect([twice.status, body<{ error: string }>(twice).error]).toEqual([400, 'invalid_request']);
	});

	it('is refused with a field too many', async () => {
		for (const extra of ['resource', integration === 'leads' ? 'scope' : 'audience']) {
			const refused = await refusal(usual(integration), { fields: { [extra]: 'x' } });
			expect(refused).toEqual([400, 'invalid_request']);
		}
	});

	it('is refused for parameters in the address, and for GET', async () => {
		const client = usual(integration);
		const url = tokenAddress(sandbox, client);
		const headers = { 'Content-Type': FORM, Authorization: basic(client) };

		const inAddress = await request(`${url}?grant_type=client_credentials`, {
			method: 'POST',
			headers,
			body: 'grant_type=client_credentials',
		});

		expect(inAddress.status).toBe(400);
		expect((await request(url, { headers })).status).toBe(405);
	});
});

describe('form A, of products', () => {
	it('wants its scope', async () => {
		const client = sandbox.productsClient;

		expect(await refusal(client, { fields: { scope: undefined } })).toEqual([
			400,
			'invalid_request',
		]);
		expect(await refusal(client, { fields: { scope: 'api/other' } })).toEqual([
			400,
			'invalid_scope',
		]);
	});

	it('takes no secret in the form', async () => {
		const client = sandbox.productsClient;
		const fields = { client_id: client.clientId, client_secret: client.clientSecret };

		expect(await refusal(client, { fields })).toEqual([400, 'invalid_request']);
		expect(await refusal(client, { fields: { client_secret: client.clientSecret } })).toEqual([
			400,
			'invalid_request',
		]);
	});

	it('takes no form B', async () => {
		const reply = await tokenRequest(sandbox, {
			...sandbox.productsClient,
			integration: 'leads',
		});

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([401, 'invalid_client']);
	});
});

describe('form B, of leads', () => {
	it('takes no Authorization header', async () => {
		const client = sandbox.leadsClient;

		expect(await refusal(client, { headers: { Authorization: basic(client) } })).toEqual([
			400,
			'invalid_request',
		]);
		expect(await refusal(client, { headers: { Authorization: 'Bearer x' } })).toEqual([
			400,
			'invalid_request',
		]);
	});

	it('takes no form A', async () => {
		const reply = await tokenRequest(sandbox, {
			...sandbox.leadsClient,
			integration: 'products',
		});

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([401, 'invalid_client']);
	});

	it('wants its audience', async () => {
		const client = sandbox.leadsClient;

		expect(await refusal(client, { fields: { audience: undefined } })).toEqual([
			400,
			'invalid_request',
		]);

		const wrong = await tokenRequest(sandbox, client, {
			fields: { audience: `${sandbox.leadsUrl}/` },
		});

		expect(wrong.status).toBe(403);
		expect(body(wrong)).toEqual({
			error: 'access_denied',
			error_description: expect.any(String),
		});
	});

	it('wants a form that is encoded', async () => {
		const { clientId, clientSecret, audience } = sandbox.leadsClient;
		const fields = { grant_type: 'client_credentials', client_id: clientId, audience };
		const raw = `${new URLSearchParams(fields).toString()}&client_secret=${clientSecret}`;

		const reply = await request(`${sandbox.authUrl}/oauth2/token`, {
			method: 'POST',
			headers: { 'Content-Type': FORM },
			body: raw,
		});

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([400, 'invalid_request']);
	});

	it('refuses a field given twice', async () => {
		const { clientId, clientSecret, audience } = sandbox.leadsClient;
		const form = new URLSearchParams({
			grant_type: 'client_credentials',
			client_id: clientId,
			client_secret: clientSecret,
			audience,
		});
		form.append('audience', audience);

		const reply = await request(`${sandbox.authUrl}/oauth2/token`, { method: 'POST', body: form });

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([400, 'invalid_request']);
	});
});

describe('form C, of inventory', () => {
	it('lives at its own address', async () => {
		const reply = await request(`${sandbox.authUrl}/oauth2/token`, {
			method: 'POST',
			headers: { 'Content-Type': FORM, Authorization: basic(sandbox.inventoryClient) },
			body: 'grant_type=client_credentials',
		});

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([401, 'invalid_client']);
	});

	it('takes no scope, and no form B', async () => {
		expect(await refusal(sandbox.inventoryClient, { fields: { scope: 'api/api_access' } })).toEqual(
			[400, 'invalid_request'],
		);

		const { clientId, clientSecret } = sandbox.inventoryClient;

		const reply = await request(sandbox.tokenUrl, {
			method: 'POST',
			body: new URLSearchParams({
				grant_type: 'client_credentials',
				client_id: clientId,
				client_secret: clientSecret,
			}),
		});

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([401, 'invalid_client']);
	});
});

describe('a pair', () => {
	it.each(['products', 'inventory'] as const)('of %s is not percent-encoded', async (which) => {
		const client = usual(which);
		const encoded = { ...client, clientSecret: encodeURIComponent(client.clientSecret) };

		const latin1 = Buffer.from(`${client.clientId}:${client.clientSecret}`, 'latin1');

		for (const Authorization of [basic(encoded), `Basic ${latin1.toString('base64')}`]) {
			expect(await refusal(client, { headers: { Authorization } })).toEqual([
				401,
				'invalid_client',
			]);
		}
	});

	it('with a wrong secret, or unknown, or absent is refused', async () => {
		for (const client of [sandbox.leadsClient, sandbox.productsClient, sandbox.inventoryClient]) {
			for (const change of [{ clientSecret: 'wrong' }, { clientId: 'nobody' }]) {
				const reply = await tokenRequest(sandbox, { ...client, ...change });
				expect([reply.status, body<{ error: string }>(reply).error]).toEqual([
					401,
					'invalid_client',
				]);
			}
			const absent = await request(tokenAddress(sandbox, client), {
				method: 'POST',
				headers: { 'Content-Type': FORM },
				body: 'grant_type=client_credentials',
			});
			expect(absent.status).toBe(401);
		}
	});

	it('with any secret works when it is encoded as it should be', async () => {
		let added = 0;
		const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 });
		const integration = fc.constantFrom(
			'leads' as const,
			'products' as const,
			'inventory' as const,
		);
		await fc.assert(
			fc.asyncProperty(integration, text, async (kind, clientSecret) => {
				const clientId = `any-${added++}`;
				const client = sandbox.addClient({ integration: kind, clientId, clientSecret });
				const reply = await tokenRequest(sandbox, client);
				expect(reply.status).toBe(200);
			}),
			{ numRuns: 40 },
		);
	});
});
