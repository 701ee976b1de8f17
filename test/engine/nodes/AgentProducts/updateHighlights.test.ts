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
});
