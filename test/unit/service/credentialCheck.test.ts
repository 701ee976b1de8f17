import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IDataObject,
} from 'n8n-workflow';

import type { TokenAnswer } from '../../../service/auth/requestToken';
import { TokenCache } from '../../../service/auth/tokenCache';
import { credentialCheckOf } from '../../../service/credentialCheck';
import { ServiceError } from '../../../service/failure';
import type { Integration } from '../../../service/integration';
import { INVENTORY_INTEGRATION } from '../../../service/inventory/integration';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import { PRODUCTS_INTEGRATION } from '../../../service/products/integration';
import contract from '../../lab/contract/inventory.json';

interface Answer {
	status: number;
	body: unknown;
}

const TOKEN = 'token-that-nobody-may-see';
const INTEGRATION = contract.components.examples.Integration.value;
const ONE_PROPERTY: Answer = { status: 200, body: { meta: {}, items: [{ id: '5001' }] } };
const NOT_SWITCHED_ON: Answer = { status: 404, body: '' };

const CREDENTIAL = {
	clientId: 'id',
	clientSecret: 'secret-that-nobody-may-see',
	tokenUrl: 'https://auth.example.com/token',
	inventoryUrl: 'https://inventory.example.com',
	agencyRef: '6f1d2c3b-4a59-4e87-9c60-112233445566',
};

/** n8n's part of a test. */
async function testOf(
	integration: Integration,
	request: (options: IDataObject & { uri: string }) => Promise<unknown>,
	data: ICredentialDataDecryptedObject,
) {
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const credential = { id: 'credential', name: '', type: integration.credentialType, data };
	return await credentialCheckOf(integration).call(context, credential);
}

/** The outcome of the test where the service answers so to the two requests for data. */
async function outcome(introduction: Answer, probe = ONE_PROPERTY) {
	const asked: string[] = [];
	const answers: Record<string, Answer> = {
		'/token': { status: 200, body: { access_token: TOKEN, expires_in: 3600 } },
		'/inventory': probe,
		'/partners/integration': introduction,
	};
	const request = async ({ uri }: { uri: string }) => {
		const { pathname } = new URL(uri);
		asked.push(pathname);
		const { status, body } = answers[pathname] ?? NOT_SWITCHED_ON;
		return await Promise.resolve({ statusCode: status, headers: {}, body });
	};
	const result = await testOf(INVENTORY_INTEGRATION, request, CREDENTIAL);
	return { ...result, asked };
}

const told = (body: object) => ({ status: 200, body });

describe('the test of the inventory credential', () => {
	it('says whom it reached, after it was given a property', async () => {
		const branches = Array.from({ length: 3 }, () => INTEGRATION.branches[0]);

		const { status, message, asked } = await outcome(told({ ...INTEGRATION, branches }));

		expect({ status, message }).toEqual({
			status: 'OK',
			message: 'Connected to Example Agents, 3 branches',
		});
		expect(asked).toEqual(['/token', '/inventory', '/partners/integration']);
	});

	it.each([
		['one branch', { ...INTEGRATION }, /^Connected to Example Agents, 1 branch$/],
		['no branches', { ...INTEGRATION, branches: [] }, /^Connected to Example Agents, no branches$/],
		['no list of them', { ...INTEGRATION, branches: null }, /^Connected to Example Agents$/],
		['markup', { agencyName: 'A <b>& B</b>\n' }, /^Connected to A & B$/],
		['no name', { integrationId: 'x' }, /^Connected to the agency of this AgencyRef$/],
		['a name without end', { agencyName: 'x'.repeat(500) }, /^Connected to x{100}$/],
	])('bears an answer with %s', async (_, body, message) => {
		const result = await outcome(told(body));

		expect(result.status).toBe('OK');
		expect(result.message).toMatch(message);
	});

	it('shows neither the token nor the secret, even if the service repeats them', async () => {
		const { message } = await outcome(
			told({ agencyName: `${TOKEN} ${CREDENTIAL.clientSecret}`, branches: [] }),
		);

		expect(message).not.toMatch(/nobody/);
	});

	it.each([
		['is not switched on', NOT_SWITCHED_ON],
		['fails', { status: 500, body: '' }],
		['says nothing', { status: 200, body: {} }],
	])('passes as before where the introduction %s', async (_, introduction) => {
		const { status, message, asked } = await outcome(introduction);

		expect({ status, message }).toEqual({
			status: 'OK',
			message: 'The service issued a token and answered with it',
		});
		expect(asked).toHaveLength(3);
	});

	it('passes where a bare 404 leaves open whether the agency has no property yet', async () => {
		const nothing: Answer = { status: 404, body: '' };

		expect(await outcome(told(INTEGRATION), nothing)).toMatchObject({ status: 'OK' });

		const unknown = await outcome(NOT_SWITCHED_ON, nothing);

		expect(unknown.status).toBe('Error');
		expect(unknown.message).toContain('this agency has no property yet');
	});
});

describe('what a test sends', () => {
	const requests: IDataObject[] = [];

	afterEach(() => {
		requests.length = 0;
		jest.restoreAllMocks();
	});

	const BY_PATH: Record<string, (asked: number) => Answer> = {
		'/oauth2/token': () => ({ status: 200, body: { access_token: TOKEN } }),
		'/token': () => ({ status: 200, body: { access_token: TOKEN } }),
		'/inventory': () => ONE_PROPERTY,
		'/partners/integration': () => told(INTEGRATION),
	};

	/** The outcome where the answers to some paths are these, by how often each was asked for. */
	async function test(
		integration: Integration,
		credential: ICredentialDataDecryptedObject,
		answers: Record<string, (asked: number) => Answer | Error> = {},
	) {
		const byPath: typeof answers = { ...BY_PATH, ...answers };
		const request = async (options: IDataObject & { uri: string }) => {
			requests.push(options);
			const asked = requests.filter(({ uri }) => uri === options.uri).length;
			const answer = byPath[new URL(options.uri).pathname]?.(asked) ?? NOT_SWITCHED_ON;
			if (answer instanceof Error) throw answer;
			return await Promise.resolve({ statusCode: answer.status, headers: {}, body: answer.body });
		};
		return await testOf(integration, request, credential);
	}

	const LEADS_CREDENTIAL = {
		clientId: 'id',
		clientSecret: 's3cret',
		authUrl: 'https://auth.example.com',
		leadsUrl: 'https://leads.example.com',
	};

	/** How n8n's older helper hands over the whole answer, whatever its status. */
	const MANNERS = { followRedirect: false, resolveWithFullResponse: true, simple: false };

	it('is a request for a token, the probe and the introduction, in n8n’s older form', async () => {
		await test(INVENTORY_INTEGRATION, CREDENTIAL);

		const authorization = `Bearer ${TOKEN}`;
		expect(requests).toEqual([
			expect.objectContaining({
				uri: CREDENTIAL.tokenUrl,
				method: 'POST',
				body: 'grant_type=client_credentials',
				timeout: 30_000,
				...MANNERS,
			}),
			{
				uri: 'https://inventory.example.com/inventory',
				qs: { maxResults: 1 },
				method: 'GET',
				headers: expect.objectContaining({ authorization, accept: 'application/json' }),
				body: undefined,
				timeout: 20_000,
				...MANNERS,
			},
			{
				uri: 'https://inventory.example.com/partners/integration',
				qs: undefined,
				method: 'GET',
				headers: expect.objectContaining({ authorization, accept: 'application/json' }),
				body: undefined,
				timeout: 5_000,
				...MANNERS,
			},
		]);
		for (const { headers } of requests.slice(1))
			expect(JSON.stringify(headers)).toContain(CREDENTIAL.agencyRef);
	});

	it.each([
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: 'a.example.com' }, 'a.example.com'],
		[{ allowedHttpRequestDomains: 'all', allowedDomains: 'a.example.com' }, undefined],
		[{ allowedHttpRequestDomains: 'domains' }, undefined],
	])('asks for a token within the domains that %j allows', async (domains, allowed) => {
		await test(INVENTORY_INTEGRATION, { ...CREDENTIAL, ...domains });

		expect(requests.map(({ allowedDomains }) => allowedDomains)).toEqual([
			allowed,
			undefined,
			undefined,
		]);
	});

	it.each<[string, Integration, ICredentialDataDecryptedObject, string, Answer]>([
		['leads', LEADS_INTEGRATION, LEADS_CREDENTIAL, '/appraisal-leads', told({ appraisals: [] })],
		[
			'leads, whose service misses a filter',
			LEADS_INTEGRATION,
			LEADS_CREDENTIAL,
			'/appraisal-leads',
			{ status: 400, body: { errors: [] } },
		],
		[
			'products',
			PRODUCTS_INTEGRATION,
			{ ...LEADS_CREDENTIAL, productsUrl: 'https://products.example.com' },
			'/products/premium-listings',
			told([]),
		],
	])('passes without an introduction for %s', async (_, integration, credential, path, answer) => {
		expect(await test(integration, credential, { [path]: () => answer })).toEqual({
			status: 'OK',
			message: 'The service issued a token and answered with it',
		});
		expect(requests).toHaveLength(2);
	});

	it('is repeated while the service cannot answer, three times at most', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const failing = { status: 503, body: '' };

		const soon = await test(INVENTORY_INTEGRATION, CREDENTIAL, {
			'/inventory': (asked) => (asked < 3 ? failing : ONE_PROPERTY),
		});
		const never = await test(
			INVENTORY_INTEGRATION,
			{ ...CREDENTIAL, inventoryUrl: 'https://other.example.com' },
			{ '/inventory': () => failing },
		);

		expect(soon.status).toBe('OK');
		expect(never).toEqual({
			status: 'Error',
			message:
				'The service cannot answer just now (503). Tried 3 times. Check “Inventory URL”. If it is right, try again in a minute.',
		});
	});

	it.each([
		[
			'refuses the token',
			{ status: 401, body: {} },
			'The service issued a token, but the inventory API refused it (401): the Token URL and the Inventory URL may belong to different services. Compare the fields with what the operator sent you.',
		],
		[
			'refuses the AgencyRef',
			{ status: 403, body: {} },
			'The service issued a token, but refused the AgencyRef, or this client ID may not read properties (403). Check the AgencyRef that the operator emailed (36 letters, digits and hyphens); if it is right, ask the operator to give this client ID access to that agency.',
		],
		[
			'has nothing there',
			NOT_SWITCHED_ON,
			'The service found nothing at this address (404). Check the Inventory URL; if it is right, this agency has no property yet, and the credential is good.',
		],
		[
			'says no',
			{ status: 400, body: {} },
			'The service refused the request (400). Check “Inventory URL”.',
		],
		[
			'is something else',
			{ status: 200, body: '<html></html>' },
			'The service answered with a web page instead of data. Check “Inventory URL”: it may lead to a website, a login page, a proxy or another API.',
		],
	])('fails in words for a person who tests, if the service %s', async (_, probe, message) => {
		expect(
			await test(INVENTORY_INTEGRATION, CREDENTIAL, {
				'/inventory': () => probe,
				'/partners/integration': () => NOT_SWITCHED_ON,
			}),
		).toEqual({ status: 'Error', message });
	});

	it.each([
		[LEADS_INTEGRATION, 'Auth URL', 'Leads URL', LEADS_CREDENTIAL],
		[
			PRODUCTS_INTEGRATION,
			'Auth URL',
			'Products URL',
			{ ...LEADS_CREDENTIAL, productsUrl: 'https://products.example.com' },
		],
		[INVENTORY_INTEGRATION, 'Token URL', 'Inventory URL', CREDENTIAL],
	])(
		'names the field of the address that it cannot use (%#)',
		async (integration, token, data, credential) => {
			const page = { status: 200, body: '<html></html>' };
			const ofToken = { '/token': () => page, '/oauth2/token': () => page };
			const ofData = {
				'/appraisal-leads': () => page,
				'/products/premium-listings': () => page,
				'/inventory': () => page,
			};

			const noToken = await test(integration, credential, ofToken);
			const noData = await test(integration, credential, ofData);

			expect(noToken.message).toContain(`Check “${token}”`);
			expect(noData.message).toContain(`Check “${data}”`);
		},
	);

	it('does not begin if a field is empty', async () => {
		expect(await test(INVENTORY_INTEGRATION, { ...CREDENTIAL, clientId: '' })).toEqual({
			status: 'Error',
			message:
				'“Client ID” is empty in the credential. Compare the fields with what the operator sent you.',
		});
		expect(requests).toEqual([]);
	});

	it('shows an error of n8n itself as it is', async () => {
		const { status, message } = await test(INVENTORY_INTEGRATION, CREDENTIAL, {
			'/token': () => new Error('Domain not allowed'),
		});

		expect({ status, message }).toEqual({ status: 'Error', message: 'Domain not allowed' });
	});

	it('has a pair sent again at once that was refused before, if it passes', async () => {
		const cache = TokenCache.of(INVENTORY_INTEGRATION.grant(CREDENTIAL).fingerprint);
		const ask = jest.fn(
			async () =>
				await Promise.reject<TokenAnswer>(new ServiceError('credential', 'No', { status: 401 })),
		);
		for (let call = 1; call <= 2; call++) await expect(cache.get(ask)).rejects.toThrow('No');

		expect(ask).toHaveBeenCalledTimes(1);

		await test(INVENTORY_INTEGRATION, CREDENTIAL);
		await expect(cache.get(ask)).rejects.toThrow('No');

		expect(ask).toHaveBeenCalledTimes(2);
	});
});
