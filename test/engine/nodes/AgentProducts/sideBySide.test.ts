import { describe, expect, it } from '@jest/globals';

import { textOf } from '../../../../service/basics/values';
import type { Asked } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { useRelay } from '../../../lab/engine/useBench';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();
const relay = useRelay(bench);

const LISTINGS = [123, 124, 125];

/** Activates the listings. @returns an input item for each, with its listing and the ID of its activation */
async function activated() {
	const { items } = await bench.activate(LISTINGS);
	relay.clear();
	return items.map(({ json: { id } }, index) => ({ json: { id, listing: LISTINGS[index] ?? 0 } }));
}

/** How many requests were under way at once, at most; none is answered before `atLeast` of them are there. */
function countUnderWay(atLeast: number): () => number {
	const waiting: Array<() => void> = [];
	let underWay = 0;
	let most = 0;
	relay.answer(async (_, pass) => {
		most = Math.max(most, ++underWay);
		const enough = new Promise<void>((resolve) => waiting.push(resolve));
		if (waiting.length >= atLeast) for (const goOn of waiting) goOn();
		await enough;
		const answer = await pass();
		underWay--;
		return answer;
	});
	return () => most;
}

const BY_ID = { operation: 'get', activationId: '={{ $json.id }}' };
const OF_LISTING = { operation: 'getAll', filters: { listingId: '={{ $json.listing }}' } };

describe('several input items', () => {
	it.each([
		['Get', BY_ID],
		['Get Many', OF_LISTING],
	])('of %s are asked for together, and put out in their order', async (_, parameters) => {
		const input = await activated();
		const most = countUnderWay(LISTINGS.length);

		const { items } = await bench.run(parameters, { input });

		expect(items.map(({ json: { id } }) => id)).toEqual(input.map(({ json: { id } }) => id));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			LISTINGS.map((__, item) => ({ item })),
		);
		expect(most()).toBe(LISTINGS.length);
		expect(relay.asked).toHaveLength(LISTINGS.length);
	});

	it.each([
		['Get', BY_ID],
		['Get Many', OF_LISTING],
	])('of %s fail with one of them, even while another one hangs', async (_, parameters) => {
		const input = await activated();
		const isOfLast = ({ path, query }: Asked) =>
			path.endsWith(textOf(input[2]?.json.id)) || query.get('listingId') === '125';
		relay.answer(async (asked) => {
			if (!isOfLast(asked)) return await new Promise<never>(() => {});
			return json(403, {});
		});

		const { error, items } = await bench.run(parameters, { input });

		expect(error?.message).toContain('403');
		expect(items).toEqual([]);
	});

	it('whose highlights are changed go one after the other', async () => {
		const input = await activated();
		const most = countUnderWay(1);

		const { error } = await bench.run(
			{ operation: 'updateHighlights', activationId: '={{ $json.id }}', highlights: {} },
			{ input },
		);

		expect(error).toBeUndefined();
		expect(relay.asked.filter(({ method }) => method === 'PATCH')).toHaveLength(LISTINGS.length);
		expect(most()).toBe(1);
	});
});
