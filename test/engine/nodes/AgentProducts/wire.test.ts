import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import type { Order, Product } from '../../../lab/reference/products';
import {
	activate,
	getActivation,
	listPremium,
	listWeekly,
	updateHighlights,
} from '../../../lab/reference/products';
import { useWire } from '../../../lab/engine/useBench';

const UUID = '0b6a2d54-93c1-4e7f-8a15-d2f4c6e8a010';

const RESOURCES = [
	['premiumListing', 'premium', listPremium],
	['weeklyFeaturedProperty', 'weekly', listWeekly],
] as const;

const wire = useWire();

const door = () => wire.door('products');

describe.each(RESOURCES)('Agent Products sends for an order of %s', (resource, product, list) => {
	async function ordersOf(parameters: INodeParameters) {
		const sent = await wire.ofNode('products', {
			...{ resource, operation: 'activate', waitForResult: false },
			...parameters,
		});
		return {
			orders: sent.filter(({ method }) => method !== 'GET'),
			looks: sent.filter(({ method }) => method === 'GET'),
		};
	}

	it.each([
		[
			'the ID of the listing',
			{ listingId: '80000001' },
			{ listingId: 80000001 },
			{ listingId: '80000001' },
		],
		[
			'the ID of the agency’s software',
			{ listingIdType: 'customer', listingId: '000123' },
			{ customerListingId: '000123' },
			{ customerListingId: '000123' },
		],
	])('one request with %s alone', async (_, parameters, order, question) => {
		const { orders, looks } = await ordersOf(parameters);

		expect(orders).toEqual(await wire.ofReference(activate(door(), product, order)));

		const right = looks.map(() => list(door(), question));
		expect(looks).toEqual(await wire.ofReference(...right));
	});

	it('what the agency adds', async () => {
		const customDetails = { order: 'A-77', note: 'Ende „gut“', deep: { list: [1, null, true] } };
		const { orders } = await ordersOf({
			listingId: 80000001,
			options: { customDetails: JSON.stringify(customDetails) },
		});
		const order = { listingId: 80000001, customDetails };

		expect(orders).toEqual(await wire.ofReference(activate(door(), product, order)));
	});
});

describe('Agent Products sends for', () => {
	const HIGHLIGHTS = {
		highlight: [{ id: 7, description: 'South-facing garden' }, { id: 12 }],
	};
	const highlights = [{ id: 7, description: 'South-facing garden' }, { id: 12 }];

	it('an order with highlights these', async () => {
		const sent = await wire.ofNode('products', {
			...{ operation: 'activate', waitForResult: false },
			...{ listingId: 80000001, options: { highlights: HIGHLIGHTS } },
		});
		const order: Order = { listingId: 80000001, highlights };

		expect(sent.filter(({ method }) => method === 'POST')).toEqual(
			await wire.ofReference(activate(door(), 'premium', order)),
		);
	});

	it('Update Highlights these alone', async () => {
		const sent = await wire.ofNode('products', {
			...{ operation: 'updateHighlights', activationId: UUID, highlights: HIGHLIGHTS },
		});

		expect(sent.filter(({ method }) => method !== 'GET')).toEqual(
			await wire.ofReference(updateHighlights(door(), UUID, highlights)),
		);
	});

	it.each<[string, Product]>([
		['premiumListing', 'premium'],
		['weeklyFeaturedProperty', 'weekly'],
	])('Get of %s its ID', async (resource, product) => {
		const sent = await wire.ofNode('products', { resource, operation: 'get', activationId: UUID });

		expect(sent).toEqual(await wire.ofReference(getActivation(door(), product, UUID)));
	});
});

describe.each(RESOURCES)('Agent Products sends for Get Many of %s', (resource, _product, list) => {
	async function listOf(filters: INodeParameters) {
		return await wire.ofNode('products', { resource, operation: 'getAll', filters });
	}

	it.each([
		['nothing, if there are no filters', {}, {}],
		['the listing', { listingId: '80000001' }, { listingId: '80000001' }],
		['the agency’s listing', { customerListingId: 'EX/1 2' }, { customerListingId: 'EX/1 2' }],
	])('%s', async (_, filters, question) => {
		expect(await listOf(filters)).toEqual(await wire.ofReference(list(door(), question)));
	});
});

it('Agent Products sends for Get Many of premium listings both times', async () => {
	const sent = await wire.ofNode(
		'products',
		{
			operation: 'getAll',
			filters: {
				listingId: 80000001,
				createdFrom: '2026-03-01T00:00:00',
				createdTo: '2026-04-01T08:30:15',
			},
		},
		{ timezone: 'Europe/London' },
	);
	const right = listPremium(door(), {
		listingId: '80000001',
		date_from: new Date('2026-03-01T00:00:00Z'),
		date_to: new Date('2026-04-01T07:30:15Z'),
	});

	expect(sent).toEqual(await wire.ofReference(right));
});
