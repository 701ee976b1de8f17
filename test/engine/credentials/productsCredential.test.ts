import { describe, expect, it } from '@jest/globals';

import { AgentProductsApi } from '../../../credentials/AgentProductsApi.credentials';
import type { Bench } from '../../lab/engine/bench';
import { PREMIUM_PATH, ProductsBench } from '../../lab/engine/products';
import { useBench } from '../../lab/engine/useBench';

const bench = useBench(ProductsBench);

const test: Bench['testCredential'] = async (changes) => await bench.testCredential(changes);

describe('the test of the products credential', () => {
	it('is green with a good pair, spends nothing and brings nothing along', async () => {
		await bench.run({ waitForResult: false });

		expect(await test()).toMatchObject({ status: 'OK' });
		expect(bench.productRequests.at(-1)).toMatchObject({
			method: 'GET',
			path: PREMIUM_PATH,
			query: { date_from: ['2000-01-01T00:00:00Z'], date_to: ['2000-01-01T00:00:00Z'] },
			status: 200,
		});
		expect(bench.credits).toBe(1);
	});

	it('is green without a scope: then it is the usual one', async () => {
		expect(await test({ scope: ' ' })).toMatchObject({ status: 'OK' });
	});

	it('is green with addresses that end with a slash', async () => {
		const { authUrl, productsUrl } = bench.sandbox;
		const slashed = { authUrl: `${authUrl}/`, productsUrl: `${productsUrl}/` };

		expect(await test(slashed)).toMatchObject({ status: 'OK' });
	});

	it.each([
		['a wrong secret', { clientSecret: 'wrong' }, 'refused the client ID and client secret'],
		['a wrong scope', { scope: 'other/scope' }, 'refused the scope, or this client ID'],
		['no Auth URL', { authUrl: '' }, '“Auth URL” is empty in the credential'],
		['no Products URL', { productsUrl: '' }, '“Products URL” is empty in the credential'],
		['a wrong Products URL', { productsUrl: 'example.com' }, '“Products URL” in the credential'],
	])('tells of %s', async (_, changes, message) => {
		const result = await test(changes);

		expect(result).toMatchObject({ status: 'Error' });
		expect(result.message).toContain(message);
	});

	it('tells a refused token, a missing permission and another service apart', async () => {
		const { faults } = bench.sandbox;
		faults.add({ kind: 'status', status: 401, path: PREMIUM_PATH });

		expect((await test()).message).toContain('the products API refused it (401)');

		faults.add({ kind: 'html', path: PREMIUM_PATH });
		expect((await test()).message).toContain('with a web page instead of data');

		bench.sandbox.updateClient(bench.clientId, { permitted: false });
		expect((await test()).message).toContain('may not read activations (403)');
	});
});

describe('the HTTP Request node with the products credential', () => {
	it('sends the token', async () => {
		await bench.run({ waitForResult: false });
		const options = { url: `${bench.sandbox.productsUrl}/products/premium-listings` };

		const { headers } = await new AgentProductsApi().authenticate(bench.stored, options);

		expect(headers).toEqual({ Authorization: `Bearer ${bench.stored.accessToken as string}` });
	});
});
