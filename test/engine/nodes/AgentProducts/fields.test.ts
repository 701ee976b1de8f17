import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { outcomesOf } from '../../../lab/engine/products';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

describe('what is refused before any request', () => {
	const row = (highlight: INodeParameters) => ({
		options: { highlights: { highlight: [highlight] } },
	});
	const getAll = (filters: INodeParameters) => ({ operation: 'getAll', filters });
	const NO_PORTAL_ID = /^“(Portal )?Listing ID” must be a whole number of at least 1$/;
	const NO_HIGHLIGHT_ID = /^“Highlight ID” must be a whole number of at least 0$/;

	it.each<[string, INodeParameters, RegExp]>([
		['a fraction', { listingId: 1.5 }, NO_PORTAL_ID],
		['a word', { listingId: 'OUR-1' }, NO_PORTAL_ID],
		['scientific notation', { listingId: '1e5' }, NO_PORTAL_ID],
		['hexadecimal', { listingId: '0x10' }, NO_PORTAL_ID],
		['a negative number', { listingId: -5 }, NO_PORTAL_ID],
		['0', { listingId: 0 }, NO_PORTAL_ID],
		['true', { listingId: '={{ true }}' }, NO_PORTAL_ID],
		['a number too large', { listingId: '9007199254740993' }, NO_PORTAL_ID],
		['nothing', { listingId: '={{ "" }}' }, /^“Listing ID” is empty$/],
		['no own ID', { listingIdType: 'customer', listingId: ' ' }, /^“Listing ID” is empty$/],
		[
			'an own ID with an invisible character',
			{ listingIdType: 'customer', listingId: 'EX\u200b1042' },
			/^“Listing ID” has an invisible character/,
		],
		['another type of ID', { listingIdType: 'both' }, /^“Listing ID Type” is unknown$/],
		[
			'details in a list',
			{ options: { customDetails: '[1]' } },
			/“Custom Details” is not a JSON object$/,
		],
		['details that are no JSON', { options: { customDetails: '{' } }, /is not a JSON object$/],
		[
			'details that are a moment',
			{ options: { customDetails: '={{ $now }}' } },
			/is not a JSON object$/,
		],
		['a highlight without an ID', row({ description: 'Garden' }), NO_HIGHLIGHT_ID],
		['a highlight with a word for an ID', row({ id: 'a' }), NO_HIGHLIGHT_ID],
		[
			'a highlight described by an object',
			row({ id: 1, description: '={{ ({ text: "Garden" }) }}' }),
			/^“Highlight Description” is not text$/,
		],
		['a wait of maybe', { waitForResult: '={{ "maybe" }}' }, /^“Wait for Result” is neither true/],
		['a broken timeout', { options: { waitTimeout: -1 } }, /“Wait Timeout” must be a whole number/],
		['an ID of no activation', { operation: 'get', activationId: '123' }, /“Activation ID” is not/],
		[
			'a start after the end',
			getAll({ createdFrom: '2026-01-02T00:00:00', createdTo: '2026-01-01T00:00:00' }),
			/^“Created From” is later than “Created To”$/,
		],
		['a filter by a listing of 0', getAll({ listingId: 0 }), NO_PORTAL_ID],
		['a filter left empty', getAll({ listingId: '' }), /^“Portal Listing ID” is empty$/],
		[
			'both IDs of a listing',
			getAll({ listingId: 1, customerListingId: 'OUR-1' }),
			/^“Filters” contain both listing IDs$/,
		],
		['another operation', { operation: 'delete' }, /^“Operation” is unknown$/],
	])('%s', async (_, parameters, message) => {
		const { error } = await bench.run(parameters);

		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/./);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it('all items, if one of them is wrong', async () => {
		const { error } = await bench.activate([1, 2, 'three']);

		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(error?.description).toContain('Nothing was ordered.');
		expect(bench.credits).toBe(0);
	});

	it('only the wrong item, if the node continues on an error', async () => {
		const run = await bench.activate(['one', 2], {}, { onError: 'continueErrorOutput' });

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(run.items[0]?.pairedItem).toMatchObject({ item: 1 });
		expect(JSON.stringify(run.outputs[1])).toContain('The node sent no order for this item.');
	});

	it.each([
		['activate', { listingId: 'OUR-1' }, /choose “Your Listing ID”/],
		['getAll', { filters: { listingId: 'OUR-1' } }, /choose “Your Listing ID”/],
	])('an ID of the agency’s own: %s says where it belongs', async (operation, given, advice) => {
		const { error } = await bench.run({ operation, ...given });

		expect(error?.description).toMatch(advice);
	});
});

describe('what is accepted', () => {
	it.each(['', ' { } '])('%j as no details', async (customDetails) => {
		await bench.run({ options: { customDetails }, waitForResult: false });

		const [sent] = bench.sandbox.products.list('premium-listings');
		expect(sent?.shown).not.toHaveProperty('customDetails');
	});

	it.each([
		['true', 'activated', ['GET 200', 'POST 202', 'GET id 200']],
		['false', 'pending', ['GET 200', 'POST 202']],
	])('the text “%s” for Wait for Result', async (text, outcome, exchanges) => {
		const run = await bench.run({ waitForResult: `={{ "${text}" }}` });

		expect(outcomesOf(run)).toEqual([outcome]);
		expect(bench.exchanges).toEqual(exchanges);
	});
});
