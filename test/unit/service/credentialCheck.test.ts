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

interface Answer {
	status: number;
	body: unknown;
}

const TOKEN = 'token-that-nobody-may-see';
const OK = { status: 'OK', message: 'The service issued a token and answered with it' };
const PAGE = { status: 200, body: '<html></html>' };

const CREDENTIAL = {
	clientId: 'id',
	clientSecret: 'secret',
	tokenUrl: 'https://auth.example.com/token',
	inventoryUrl: 'https://inventory.example.com',
	agencyRef: '6f1d2c3b-4a59-4e87-9c60-112233445566',
};

const LEADS_CREDENTIAL = {
	clientId: 'id',
	clientSecret: 's3cret',
	authUrl: 'https://auth.example.com',
	leadsUrl: 'https://leads.example.com',
	productsUrl: 'https://products.example.com',
};

const GOOD: Record<string, Answer> = {
	'/oauth2/token': { status: 200, body: { access_token: TOKEN } },
	'/token': { status: 200, body: { access_token: TOKEN } },
	'/inventory': { status: 200, body: { meta: {}, items: [{ id: '5001' }] } },
};

const requests: IDataObject[] = [];

afterEach(() => {
	jest.restoreAllMocks();
});

/** The outcome where the answers to some paths are these; of several, one after the other. */
async function test(
	integration: Integration,
	data: ICredentialDataDecryptedObject,
	answers: Record<string, Answer | Answer[] | Error> = {},
) {
	requests.length = 0;
	const byPath: typeof answers = { ...GOOD, ...answers };
	const request = async (options: IDataObject & { uri: string }) => {
		requests.push(options);
		const asked = requests.filter(({ uri }) => uri === options.uri).length;
		const given = byPath[new URL(options.uri).pathname] ?? { status: 404, body: '' };
		if (given instanceof Error) throw given;
		const { status, body } = [given].flat().at(asked - 1) ?? { status: 404, body: '' };
		return await Promise.resolve({ statusCode: status, headers: {}, body });
	};
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const credential = { id: 'credential', name: '', type: integration.credentialType, data };
	return await credentialCheckOf(integration).call(context, credential);
}

describe('the test of a credential', () => {
	/** How n8n's older helper hands over the whole answer, whatever its status. */
	const MANNERS = {
		encoding: null,
		followRedirect: false,
		resolveWithFullResponse: true,
		simple: false,
		abortSignal: expect.any(AbortSignal),
	};

	it('sends a request for a token and the probe, in n8n’s older form', async () => {
		expect(await test(INVENTORY_INTEGRATION, CREDENTIAL)).toEqual(OK);

		const { agencyRef: AgencyRef } = CREDENTIAL;
		expect(requests).toEqual([
			{
				uri: CREDENTIAL.tokenUrl,
				method: 'POST',
				headers: expect.objectContaining({ accept: 'application/json' }),
				body: 'grant_type=client_credentials',
				timeout: 30_000,
				...MANNERS,
			},
			{
				uri: 'https://inventory.example.com/inventory',
				qs: { maxResults: 1 },
				method: 'GET',
				headers: { AgencyRef, authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
				timeout: 60_000,
				...MANNERS,
			},
		]);
	});

	it.each([
		[{ allowedHttpRequestDomains: 'domains', allowedDomains: 'a.example.com' }, 'a.example.com'],
		[{ allowedHttpRequestDomains: 'all', allowedDomains: 'a.example.com' }, undefined],
		[{ allowedHttpRequestDomains: 'domains' }, undefined],
	])('asks for a token within the domains that %j allows', async (domains, allowed) => {
		await test(INVENTORY_INTEGRATION, { ...CREDENTIAL, ...domains });

		expect(requests.map(({ allowedDomains }) => allowedDomains)).toEqual([allowed, undefined]);
	});

	it.each<[string, Integration, string, Answer]>([
		['leads', LEADS_INTEGRATION, '/appraisal-leads', { status: 200, body: { appraisals: [] } }],
		[
			'leads, whose service misses a filter',
			LEADS_INTEGRATION,
			'/appraisal-leads',
			{ status: 400, body: { errors: [] } },
		],
		['products', PRODUCTS_INTEGRATION, '/products/premium-listings', { status: 200, body: [] }],
	])('passes for %s', async (_, integration, path, answer) => {
		expect(await test(integration, LEADS_CREDENTIAL, { [path]: answer })).toEqual(OK);
		expect(requests).toHaveLength(2);
	});

	it('is repeated while the service cannot answer, three times at most', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const failing = { status: 503, body: '' };
		const probes = [failing, failing, failing, ...[GOOD['/inventory'] ?? failing]];

		expect(
			await test(INVENTORY_INTEGRATION, CREDENTIAL, { '/inventory': probes.slice(1) }),
		).toEqual(OK);
		expect(await test(INVENTORY_INTEGRATION, CREDENTIAL, { '/inventory': probes })).toEqual({
			status: 'Error',
			message:
				'The service cannot answer just now (503). Tried 3 times. Check “Inventory URL”. If it is right, try again in a minute.',
		});
	});

	it.each<[string, Answer, string]>([
		[
			'refuses the token',
			{ status: 401, body: {} },
			'The service issued a token, but refused it (401). Check that the “Token URL” and the “Inventory URL” in the credential belong to the same service, then test the credential.',
		],
		[
			'refuses the AgencyRef',
			{ status: 403, body: {} },
			'The service refused the AgencyRef, or this client ID may not read properties (403). Check the AgencyRef that the operator emailed (36 letters, digits and hyphens), in the options of this node or in the credential; if it is right, ask the operator to give this client ID access to that agency.',
		],
	])('fails in words for a person who tests, if the service %s', async (_, probe, message) => {
		expect(await test(INVENTORY_INTEGRATION, CREDENTIAL, { '/inventory': probe })).toEqual({
			status: 'Error',
			message,
		});
	});

	it.each([
		[LEADS_INTEGRATION, 'Auth URL', 'Leads URL', LEADS_CREDENTIAL],
		[PRODUCTS_INTEGRATION, 'Auth URL', 'Products URL', LEADS_CREDENTIAL],
		[INVENTORY_INTEGRATION, 'Token URL', 'Inventory URL', CREDENTIAL],
	])(
		'names the field of the address that it cannot use (%#)',
		async (integration, token, data, credential) => {
			const ofToken = { '/token': PAGE, '/oauth2/token': PAGE };
			const ofData = {
				'/appraisal-leads': PAGE,
				'/products/premium-listings': PAGE,
				'/inventory': PAGE,
			};

			expect((await test(integration, credential, ofToken)).message).toContain(`Check “${token}”`);
			expect((await test(integration, credential, ofData)).message).toContain(`Check “${data}”`);
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
		const message = 'Domain not allowed';

		expect(await test(INVENTORY_INTEGRATION, CREDENTIAL, { '/token': new Error(message) })).toEqual(
			{ status: 'Error', message },
		);
	});

	it('has a pair sent again at once that was refused before, if it passes', async () => {
		const cache = TokenCache.of(INVENTORY_INTEGRATION.grant(CREDENTIAL).fingerprint);
		const refusal = new ServiceError('credential', 'No', { status: 401 });
		const ask = jest.fn(async () => await Promise.reject<TokenAnswer>(refusal));
		for (let call = 1; call <= 2; call++) await expect(cache.get(ask)).rejects.toThrow('No');
		expect(ask).toHaveBeenCalledTimes(1);

		await test(INVENTORY_INTEGRATION, CREDENTIAL);
		await expect(cache.get(ask)).rejects.toThrow('No');
		expect(ask).toHaveBeenCalledTimes(2);
	});
});
