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
});

describe('the HTTP Request node with the products credential', () => {
	it('sends the token', async () => {
		await bench.run({ waitForResult: false });
		const options = { url: `${bench.sandbox.productsUrl}/products/premium-listings` };

		const { headers } = await new AgentProductsApi().authenticate(bench.stored, options);

		expect(headers).toEqual({ Authorization: `Bearer ${bench.stored.accessToken as string}` });
	});
});
