import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { outcomesOf } from '../../../lab/engine/products';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

describe('what is refused before any request', () => {
	const huge = JSON.stringify({ a: 'x'.repeat(640_001) });
	it.each([
		['a fraction', { listingId: 1.5 }, /“Listing ID” must be a whole number of at least 1/],
		['a word', { listingId: 'OUR-1' }, /“Listing ID” must be a whole number of at least 1/],
		[
			'a number in scientific notation',
			{ listingId: '1e5' },
			/“Listing ID” must be a whole number of at least 1/,
		],
		['a negative number', { listingId: -5 }, /“Listing ID” must be a whole number of at least 1/],
		[
			'a number too large',
			{ listingId: '9007199254740993' },
			/must be a whole number of at least 1/,
		],
		['nothing', { listingId: '={{ "" }}' }, /“Listing ID” is empty/],
		['no ID of one’s own', { listingIdType: 'customer', listingId: ' ' }, /“Listing ID” is empty/],
		['details that are no object', { customDetails: '[1]' }, /“Custom Details” is not a JSON obj/],
		['details that are no JSON', { customDetails: '{' }, /“Custom Details” is not a JSON object/],
		['details over 640 kB', { customDetails: huge }, /“Custom Details” is larger than 640 kB/],
		[
			'a highlight with a word for an ID',
			{ highlights: { highlight: [{ id: 'a' }] } },
			/“Highlight ID” must be a whole number of at least 0/,
		],
		['a broken timeout', { options: { waitTimeout: -1 } }, /“Wait Timeout” must be a whole number/],
	])('%s', async (_, parameters, message) => {
		const { error } = await bench.run(parameters);

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/./);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('all items, if one of them is wrong', async () => {
		const { error } = await bench.activate([1, 2, 'three']);

		expect(error).toMatchObject({ message: expect.stringMatching(/must be a whole number/) });
		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(error?.description).toContain('Nothing was ordered.');
		expect(bench.credits).toBe(0);
	});

	it('only the wrong item, if the node continues on an error', async () => {
		const run = await bench.activate(['one', 2], {}, { onError: 'continueErrorOutput' });

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(run.items[0]?.pairedItem).toMatchObject({ item: 1 });
		expect(run.outputs[1]).toHaveLength(1);
		expect(JSON.stringify(run.outputs[1])).toContain('The node sent no order for this item.');
	});

	it('640 kB are taken', async () => {
		const customDetails = JSON.stringify({ a: 'x'.repeat(640_000 - '{"a":""}'.length) });

		expect(outcomesOf(await bench.run({ customDetails }))).toEqual(['activated']);
	});
});

describe('what an expression gives and is refused before any request', () => {
	const highlight = (row: INodeParameters) => ({ highlights: { highlight: [row] } });

	it.each<[string, INodeParameters, RegExp]>([
		['details that are a date', { customDetails: '={{ new Date() }}' }, /is not a JSON object$/],
		['details that are a moment', { customDetails: '={{ $now }}' }, /is not a JSON object$/],
		['details that are a number', { customDetails: '={{ 5 }}' }, /is not a JSON object$/],
		['a listing of 0', { listingId: 0 }, /^“Listing ID” must be a whole number of at least 1$/],
		[
			'a listing in hexadecimal',
			{ listingId: '0x10' },
			/^“Listing ID” must be a whole number of at least 1$/,
		],
		[
			'a listing that is true',
			{ listingId: '={{ true }}' },
			/^“Listing ID” must be a whole number of at least 1$/,
		],
		['another type of ID', { listingIdType: 'both' }, /^“Listing ID Type” is unknown$/],
		[
			'a highlight in hexadecimal',
			highlight({ id: '0x10' }),
			/^“Highlight ID” must be a whole number of at least 0$/,
		],
		[
			'a highlight without an ID, as a new row has it',
			highlight({ description: 'Garden' }),
			/^“Highlight ID” is empty$/,
		],
		['a highlight with an empty ID', highlight({ id: '' }), /^“Highlight ID” is empty$/],
		[
			'a highlight whose ID comes from nothing',
			highlight({ id: '={{ $json.none }}' }),
			/^“Highlight ID” is empty$/,
		],
		[
			'a new highlight of a change',
			{
				operation: 'updateHighlights',
				activationId: '4f7a2c1e-0000-4000-8000-000000000001',
				...highlight({}),
			},
			/^“Highlight ID” is empty$/,
		],
		[
			'a highlight described by an object',
			highlight({ id: 1, description: '={{ ({ text: "Garden" }) }}' }),
			/^“Highlight Description” is not text$/,
		],
		['a wait of maybe', { waitForResult: '={{ "maybe" }}' }, /^“Wait for Result” is neither true/],
		[
			'a start after the end',
			{
				operation: 'getAll',
				filters: { createdFrom: '2026-01-02T00:00:00', createdTo: '2026-01-01T00:00:00' },
			},
			/^“Created From” is later than “Created To”$/,
		],
		[
			'a filter by a listing of 0',
			{ operation: 'getAll', filters: { listingId: 0 } },
			/^“Portal Listing ID” must be a whole number of at least 1$/,
		],
		[
			'a filter left empty',
			{ operation: 'getAll', filters: { activeOnly: true, listingId: '' } },
			/^“Portal Listing ID” is empty$/,
		],
		[
			'a filter that an expression leaves empty',
			{ operation: 'getAll', filters: { createdTo: '={{ null }}' } },
			/^“Created To” is empty$/,
		],
	])('%s', async (_, parameters, message) => {
		const { error } = await bench.run(parameters);

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/./);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it.each([
		['activate', { listingId: 'OUR-1' }, /set “Listing ID Type” to “Your Listing ID”/],
		['getAll', { filters: { listingId: 'OUR-1' } }, /use the filter “Your Listing ID”/],
	])('an ID of the agency’s own: %s says where it belongs', async (operation, given, advice) => {
		const { error } = await bench.run({ operation, ...given });

		expect(error?.message).toMatch(/Listing ID” must be a whole number of at least 1$/);
		expect(error?.description).toMatch(advice);
		expect(error?.description?.includes('Listing ID Type')).toBe(operation === 'activate');
	});

	it.each([
		['true', 'activated', ['GET 200', 'POST 202', 'GET id 200']],
		['false', 'pending', ['GET 200', 'POST 202']],
	])('not the text “%s” for Wait for Result', async (text, outcome, exchanges) => {
		const run = await bench.run({ waitForResult: `={{ "${text}" }}` });

		expect(outcomesOf(run)).toEqual([outcome]);
		expect(bench.exchanges).toEqual(exchanges);
	});
});
