import { describe, expect, it } from '@jest/globals';

import { firstIdOf } from '../../../lab/engine/products';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

describe('get', () => {
	const made = async (listingId = 123) => {
		const run = await bench.run({ listingId });
		return firstIdOf(run);
	};

	it('gets an activation by its ID', async () => {
		const id = await made();

		const run = await bench.run({ operation: 'get', activationId: ` ${id} ` });

		expect(run.items).toMatchObject([
			{ json: { id, status: { result: 'ACTIVATED' } }, pairedItem: { item: 0 } },
		]);
	});

	it('tells of an ID that is none, before any request, and of one that is unknown', async () => {
		const wrong = await bench.run({ operation: 'get', activationId: '123' });

		expect(wrong.error?.message).toBe('“Activation ID” is not the ID of an activation');
		expect(bench.sandbox.requests).toEqual([]);

		const unknown = await bench.run({
			operation: 'get',
			activationId: '4f7a2c1e-0000-4000-8000-000000000001',
		});

		expect(unknown.error?.message).toBe('The service found no such activation (404)');
	});
});
