import { describe, expect, it } from '@jest/globals';

import { AgentProducts } from '../../../../nodes/AgentProducts/AgentProducts.node';
import { outcomesOf } from '../../../lab/engine/products';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

describe('the node', () => {
	it('is no tool for a model', () => {
		const { description } = new AgentProducts();

		expect(description).toHaveProperty('usableAsTool', undefined);
	});

	it('knows no other operation', async () => {
		const { error } = await bench.run({ operation: 'delete' });

		expect(error?.message).toBe('“Operation” is unknown');
	});
});

describe('tokens', () => {
	it('that are revoked with 403 are replaced, once in five minutes', async () => {
		bench.sandbox.updateClient(bench.clientId, { rejectTokenWith: 403 });
		await bench.run({ listingId: 9, waitForResult: false });

		bench.sandbox.revokeTokens(bench.clientId);
		const first = await bench.activate([1, 2, 3], { waitForResult: false });
		expect(outcomesOf(first)).toEqual(['pending', 'pending', 'pending']);
		bench.sandbox.revokeTokens(bench.clientId);
		const second = await bench.activate([4, 5, 6], { waitForResult: false });
		expect(outcomesOf(second)).toEqual([]);

		expect(bench.credits).toBe(4);
		expect(bench.tokens).toBe(2);
	});

	it('that are revoked are found out once, for all items', async () => {
		await bench.run({ listingId: 9, waitForResult: false });
		bench.sandbox.revokeTokens(bench.clientId);

		await bench.activate([1, 2, 3, 4, 5, 6], { waitForResult: false });

		expect(bench.exchanges.slice(2)).toEqual([
			'GET 401',
			...Array<string[]>(6).fill(['GET 200', 'POST 202']).flat(),
		]);
		expect(bench.tokens).toBe(2);
	});
});
