import { describe, expect, it } from '@jest/globals';

import { InventoryBench } from '../../../lab/engine/inventory';
import { LeadsBench } from '../../../lab/engine/leads';
import { ProductsBench } from '../../../lab/engine/products';
import { useBench } from '../../../lab/engine/useBench';

// The sandbox refuses a token request that is not encoded as the contract has it: the secrets of its clients hold the signs
// that break. So each green run shows the form of the request; here is what only these tests ask for.

const leads = useBench(LeadsBench);
const inventory = useBench(InventoryBench);
const products = useBench(ProductsBench);

describe('the token request', () => {
	it('of products asks for another scope if there is one', async () => {
		products.sandbox.updateClient(products.clientId, { scope: 'api/other' });

		expect(await products.testCredential({ scope: 'api/other' })).toMatchObject({ status: 'OK' });
		expect((await products.testCredential()).message).toContain('invalid_scope');
	});

	it.each([
		['another audience, if there is one', { audience: 'https://leads.example.com/v1/' }],
		['the Leads URL as it was entered', {}],
	])('of leads asks for %s', async (_, { audience }: { audience?: string }) => {
		const leadsUrl = `${leads.sandbox.leadsUrl}/`;
		leads.sandbox.updateClient(leads.clientId, { audience: audience ?? leadsUrl });

		const changes = { leadsUrl, ...(audience && { audience }) };

		expect(await leads.testCredential(changes)).toMatchObject({ status: 'OK' });
	});

	it('of inventory goes to the Token URL with its query', async () => {
		const { tokenUrl } = inventory.sandbox;
		await inventory.testCredential({ tokenUrl: `${tokenUrl}?tenant=a%20b&x=` });

		expect(inventory.sandbox.requests).toMatchObject([
			{ path: '/identity/connect/token', query: { tenant: ['a b'], x: [''] } },
		]);
	});
});

describe('the test of a credential asks for little data', () => {
	const LONG_AGO = ['2000-01-01T00:00:00Z'];

	it.each([
		['leads', () => leads, '/leads-api/appraisal-leads', {}],
		['inventory', () => inventory, '/inventory-api/inventory', { maxResults: ['1'] }],
		[
			'products',
			() => products,
			'/products-api/products/premium-listings',
			{ date_from: LONG_AGO, date_to: LONG_AGO },
		],
	])('of %s', async (_, benchOf, path, query) => {
		const bench = benchOf();

		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect(bench.sandbox.requests.at(-1)).toMatchObject({ path, query });
	});
});
