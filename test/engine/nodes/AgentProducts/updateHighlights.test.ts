import { describe, expect, it } from '@jest/globals';

import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

const update = async (activationId: string, highlight: object = { id: 5, description: 'Garden' }) =>
	await bench.run({
		operation: 'updateHighlights',
		activationId,
		highlights: { highlight: [{ ...highlight }] },
	});

const highlightsOf = (id: string) =>
	bench.sandbox.products.find('premium-listings', id)?.shown.highlights;

describe('update highlights', () => {
	it('changes the highlights, without the keys with which they come back', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');

		const run = await update(id, { id: 5, description: 'Garden', key: 'garden' });

		expect(run.items[0]?.json).toMatchObject({ id, status: { currently: 'WAITING_FOR_UPDATE' } });

		bench.sandbox.products.settle(id);

		expect(highlightsOf(id)).toEqual([{ id: 5, description: 'Garden', key: 'highlight-5' }]);
	});

	it.each([
		['429', { kind: 'status', status: 429 }],
		['a reset before', { kind: 'reset' }],
		['a reset after', { kind: 'reset', when: 'after' }],
		['500 after', { kind: 'status', status: 500, when: 'after' }],
		['an expired token', { kind: 'status', status: 401 }],
	] as const)('changes them in spite of %s', async (_, fault) => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterMs: 0 });
		bench.sandbox.faults.add({ method: 'PATCH', ...fault });

		const run = await update(id);

		expect(run.items[0]?.json).toMatchObject({ id });
		expect(highlightsOf(id)).toEqual([{ id: 5, description: 'Garden', key: 'highlight-5' }]);
	});

	it('says why they cannot be changed', async () => {
		const { error } = await update(bench.somebodys(123));

		expect(error?.message).toMatch(/^The highlights were not changed: the premium listing is not/);

		const unknown = await update('4f7a2c1e-0000-4000-8000-000000000001');

		expect(unknown.error?.message).toBe('The service found no such activation (404)');
	});

	it('does not take a change that was lost for the one that is under way', async () => {
		const id = bench.somebodys(123, 'ACTIVATED');
		bench.sandbox.products.configure({ settleAfterGets: null });
		await update(id, { id: 1 });
		bench.sandbox.faults.add({ method: 'PATCH', kind: 'reset', when: 'before' });

		const { items, error } = await update(id, { id: 2 });

		expect(items).toEqual([]);
		expect(error?.message).toBe(
			'It is not known whether the highlights were changed: The service refused the request (409)',
		);

		bench.sandbox.products.settle(id);

		expect(highlightsOf(id)).toMatchObject([{ id: 1 }]);
	});
});
