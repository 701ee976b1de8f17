import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { ProductsBench } from '../../../lab/engine/products';
import { useBench } from '../../../lab/engine/useBench';

const UUID = '0b6a2d54-93c1-4e7f-8a15-d2f4c6e8a010';

const bench = useBench(ProductsBench);

describe.each([
	['premiumListing', '/products-api/products/premium-listings'],
	['weeklyFeaturedProperty', '/products-api/products/weekly-featured-properties'],
])('Agent Products sends for %s', (resource, path) => {
	const send = async (parameters: INodeParameters) => {
		await bench.run({ resource, waitForResult: false, ...parameters });
		return bench.productRequests.map(({ method, body, query, ...asked }) => ({
			...{ method, query, path: asked.path },
			...(body !== '' && { body: JSON.parse(body) as unknown }),
		}));
	};

	it.each([
		['the ID of the listing', { listingId: '80000001' }, { listingId: 80000001 }],
		[
			'the ID of the agency’s software',
			{ listingIdType: 'customer', listingId: '000123' },
			{ customerListingId: '000123' },
		],
	])('an order with %s alone, and looks with the same', async (_, parameters, body) => {
		const sent = await send(parameters);
		const query = Object.fromEntries(Object.entries(body).map(([key, id]) => [key, [String(id)]]));

		expect(sent.slice(0, 2)).toEqual([
			{ method: 'GET', path, query },
			{ method: 'POST', path, query: {}, body },
		]);
		for (const look of sent.slice(2)) expect(look).toEqual(sent[0]);
	});

	it('an order with what the agency adds', async () => {
		const customDetails = { order: 'A-77', note: 'Ende „gut“', deep: { list: [1, null, true] } };
		const sent = await send({
			listingId: 80000001,
			options: { customDetails: JSON.stringify(customDetails) },
		});

		expect(sent).toContainEqual({
			...{ method: 'POST', path, query: {} },
			body: { listingId: 80000001, customDetails },
		});
	});

	it('Get its ID', async () => {
		expect(await send({ operation: 'get', activationId: UUID })).toEqual([
			{ method: 'GET', path: `${path}/${UUID}`, query: {} },
		]);
	});

	it.each([
		['nothing, if there are no filters', {}, {}],
		['the listing', { listingId: '80000001' }, { listingId: ['80000001'] }],
		['the agency’s listing', { customerListingId: 'EX/1 2' }, { customerListingId: ['EX/1 2'] }],
	])('Get Many %s', async (_, filters, query) => {
		expect(await send({ operation: 'getAll', filters })).toEqual([{ method: 'GET', path, query }]);
	});
});

describe('Agent Products sends highlights', () => {
	const highlights = [{ id: 7, description: 'South-facing garden' }, { id: 12 }];

	const bodies = () =>
		bench.productRequests.flatMap(({ body }) => (body === '' ? [] : [JSON.parse(body) as unknown]));

	it('with an order', async () => {
		const options = { highlights: { highlight: highlights } };
		await bench.run({ waitForResult: false, listingId: 80000001, options });

		expect(bodies()).toEqual([{ listingId: 80000001, highlights }]);
	});

	it('alone in Update Highlights', async () => {
		const activationId = bench.somebodys(80000001, 'ACTIVATED');
		await bench.run({
			operation: 'updateHighlights',
			...{ activationId, highlights: { highlight: highlights } },
		});

		expect(bodies()).toEqual([{ highlights }]);
	});
});
