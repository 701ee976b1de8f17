import { afterEach, beforeEach, describe, it } from '@jest/globals';

import { empty, json } from '../../../lab/engine/relay';
import { CheckedService } from './checkedService';

let service: CheckedService;
beforeEach(async () => {
	service = await CheckedService.start();
});
afterEach(async () => await service.stop());

describe('the check names what differs:', () => {
	it.each<[string, () => void, string]>([
		[
			'activations in an object',
			() =>
				service.at('/premium-listings', ({ status, ...rest }) =>
					status === 200 ? json(200, { items: [] }) : { status, ...rest },
				),
			'premium, the list of 30 days is a bare array: body: value must be array',
		],
		[
			'an empty list for an unknown listing',
			() =>
				service.at('/weekly-featured-properties', (answer) =>
					answer.status === 400 ? json(200, []) : answer,
				),
			'weekly, a customerListingId that matches nothing is refused: 200 with JSON of another',
		],
		[
			'a web page',
			() =>
				service.at('/premium-listings', () => ({
					status: 503,
					headers: { 'content-type': 'text/html' },
					body: '<html>Please wait</html>',
				})),
			'premium, the list of 30 days is a bare array: 503 with a web page, not 200',
		],
		[
			'a token that serves once',
			() => {
				let asked = 0;
				service.at('/premium-listings', (answer) => (++asked > 1 ? empty(401) : answer));
			},
			'products: one token serves all requests: refused (401) for',
		],
		[
			'another activation than the one asked for',
			() => service.one((body) => ({ ...body, id: '0b6a2d54-93c1-4e7f-8a15-d2f4c6e8a010' })),
			'premium, one by its id: 200, but not the one asked for',
		],
		[
			'an activation that does not exist and is one',
			() =>
				service.relay.answer(async ({ isOfOne }, pass) => {
					const answer = await pass();
					return isOfOne && answer !== 'lost' && answer.status === 404 ? json(200, {}) : answer;
				}),
			'weekly, an id that does not exist: 200 with JSON of another shape, not 404',
		],
		[
			'a listing that is ignored',
			() =>
				service.at('/premium-listings', (answer) =>
					answer.body === '[]' ? json(200, [{ listingId: 2 }]) : answer,
				),
			'premium, a listing that has none: an empty list: the filter is ignored: 1 came',
		],
		[
			'activations that are older than asked for',
			() =>
				service.at('/weekly-featured-properties', (answer) =>
					json(200, [{ listingId: 2, createdAt: '2020-01-01T00:00:00Z' }], answer.headers),
				),
			'weekly, the list of 30 days is a bare array: 1 of 1 activations are older',
		],
		[
			'a time where a day belongs',
			() =>
				service.at('/weekly-featured-properties', (answer) =>
					answer.status === 400 ? json(200, []) : answer,
				),
			'weekly, a time in place of the day is refused: 200 with JSON of another shape, not 400',
		],
		[
			'two ids at once',
			() =>
				service.at('/premium-listings', (answer) =>
					answer.status === 400 ? json(200, []) : answer,
				),
			'premium, both ids in one request are refused: 200 with JSON of another shape, not 400',
		],
		[
			'activations for nobody',
			() =>
				service.at('/premium-listings', (answer) =>
					answer.status === 401 ? json(200, []) : answer,
				),
			'premium, an invalid token is refused: 200 with JSON of another shape, not 401',
		],
	])('%s', async (_, change, line) => {
		change();
		await service.expectDifference('products', line);
	});
});
