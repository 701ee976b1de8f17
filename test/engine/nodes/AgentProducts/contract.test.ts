import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { AgentProductsApi } from '../../../../credentials/AgentProductsApi.credentials';
import { AgentProducts } from '../../../../nodes/AgentProducts/AgentProducts.node';
import * as retry from '../../../../service/http/retry';
import type { Kept, Manner, Reply } from '../../../lab/productsService';
import { ProductsService } from '../../../lab/productsService';
import { EVERYTHING_BUT_DATE, shortenBackoff } from '../../../lab/engine/bench';
import { CredentialsTable } from '../../../lab/engine/credentials';
import type { NodeRun, NodeUnderTest } from '../../../lab/engine/engine';
import { runNode } from '../../../lab/engine/engine';
import { outcomesOf } from '../../../lab/engine/products';

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;

let service: ProductsService;
let credentials: CredentialsTable;

beforeEach(async () => {
	shortenBackoff();
	service = await ProductsService.start();
	const { url } = service;
	credentials = new CredentialsTable([new AgentProductsApi()], {
		credential: { clientId: 'me', clientSecret: 'secret-of-mine', authUrl: url, productsUrl: url },
	});
	jest.spyOn(retry, 'pause').mockImplementation(async (ms) => {
		service.waitedMs += ms;
		await Promise.resolve();
	});
});

afterEach(async () => {
	jest.useRealTimers();
	jest.restoreAllMocks();
	await service.stop();
});

async function run(
	parameters: INodeParameters = {},
	more: Partial<NodeUnderTest> = {},
): Promise<NodeRun> {
	return await runNode({
		node: new AgentProducts(),
		credentials,
		parameters: {
			resource: 'premiumListing',
			operation: 'activate',
			listingId: 123,
			waitForResult: false,
			...parameters,
		},
		...more,
	});
}

const listings = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ json: { id: index + 1 } }));

/** The first order is taken, and answered like this. */
const firstOrder =
	(answer: (made: Kept) => Reply): Manner =>
	({ method, earlier }, usual) => {
		if (method !== 'POST' || earlier > 0) return undefined;
		usual();
		const made = service.kept.at(-1);
		return made && answer(made);
	};

const NO = { errors: [{ reason: 'Not yours', code: 1_011_901 }] };

const NOBODYS = '/premium-listings/5d0f6c1e-7a43-4f0a-9b1c-2e8d4a6b7c90';

const LOST: Reply = { status: 0, raw: '' };

describe('an order that nobody has heard of, planned and shown a little later', () => {
	beforeEach(() => {
		service.result = 'SCHEDULED';
		service.lagMs = 3 * SECOND;
	});

	it.each<[string, Reply]>([
		['500', { status: 500 }],
		['504 with a page', { status: 504, body: '<html></html>' }],
		['a lost connection', LOST],
		['no HTTP', { status: 0, raw: 'junk\r\n\r\n' }],
		['JSON that stops, with 200', { status: 200, body: '{"id":' }],
	])('is not paid for twice after %s', async (_, answer) => {
		service.manner = firstOrder(() => answer);

		expect(outcomesOf(await run())).toEqual(['scheduled']);
		expect(service.posts).toHaveLength(1);
		expect(service.credits).toBe(1);
	});

	it.each([504, 524])('is given more time after a gateway has given up (%d)', async (status) => {
		service.lagMs = 20 * SECOND;
		service.manner = firstOrder(() => ({ status }));

		expect(outcomesOf(await run())).toEqual(['scheduled']);
		expect(service.credits).toBe(1);
	});

	it.each([1, 3])('is not paid for twice by “Retry On Fail”, with %d tries', async (maxTries) => {
		service.manner = firstOrder(() => LOST);

		const result = await run({ options: { maxTries } }, { retryOnFail: { maxTries: 2 } });

		expect(outcomesOf(result)).toEqual(['scheduled']);
		expect(service.credits).toBe(1);
	});

	it('is no failure if it is the last try', async () => {
		service.manner = firstOrder(() => LOST);

		expect(outcomesOf(await run({ options: { maxTries: 1 } }))).toEqual(['scheduled']);
	});
});

describe('a step that stops on an error', () => {
	const LISTING_OF_ITEM = { listingId: '={{ $json.id }}', options: { maxTries: 1 } };
	const told = ({ error }: NodeRun) => `${error?.message} ${error?.description}`;

	/** The look at the third listing fails in the first try, and every look after that. */
	const failFromThird = () => {
		let hasFailed = false;
		service.manner = ({ isList, url }) => {
			if (!isList) return undefined;
			hasFailed ||= url.searchParams.get('listingId') === '3';
			return hasFailed ? { status: 503 } : undefined;
		};
	};

	it('names what an earlier try of “Retry On Fail” has ordered', async () => {
		service.keep(1, 'ACTIVATED');
		failFromThird();

		const result = await run(LISTING_OF_ITEM, {
			input: listings(3),
			retryOnFail: { maxTries: 2 },
		});

		expect(told(result)).toMatch(/for listing 1: Nothing was ordered/);
		expect(told(result)).toMatch(
			/Ordered in this run so far: Premium listing for listing 2 \([-0-9a-f]{36}\)\./,
		);
		expect(service.credits).toBe(1);
	});

	it('names what an earlier try may have ordered', async () => {
		service.keep(1, 'ACTIVATED');
		let isDown = false;
		service.manner = ({ method, isList }, usual) => {
			if (isDown) return { status: 503 };
			if (method === 'POST') {
				usual();
				isDown = true;
				return LOST;
			}
			return isList ? usual() : undefined;
		};

		const result = await run(LISTING_OF_ITEM, {
			input: listings(2),
			retryOnFail: { maxTries: 2 },
		});

		expect(told(result)).toContain(
			'Ordered in this run so far: Premium listing for listing 2 (in doubt).',
		);
	});

	it('names all orders that the service could not carry out: each may have cost a credit', async () => {
		service.result = 'ERROR';

		const result = await run({ ...LISTING_OF_ITEM, waitForResult: true }, { input: listings(2) });

		expect(told(result)).toMatch(/listing 1 was ordered, but not activated/);
		expect(told(result)).toMatch(
			/Ordered in this run so far: Premium listing for listing 2 \([-0-9a-f]{36}\)\./,
		);
		expect(service.credits).toBe(2);
	});
});

describe('an order that is taken (202) and never listed', () => {
	beforeEach(() => {
		service.lagMs = DAY;
	});

	it.each<[string, (made: Kept) => Reply, 'with its ID' | 'without']>([
		['as a list of one', (made) => ({ status: 202, body: [made] }), 'with its ID'],
		[
			'by its Location alone',
			({ id }) => ({ status: 202, headers: { location: `https://host/premium-listings/${id}` } }),
			'with its ID',
		],
		['not at all', () => ({ status: 202 }), 'without'],
		['as {}', () => ({ status: 202, body: {} }), 'without'],
		['as []', () => ({ status: 202, body: [] }), 'without'],
		['as null', () => ({ status: 202, body: null }), 'without'],
		['as a word', () => ({ status: 202, body: 'Accepted' }), 'without'],
		['as JSON that stops', () => ({ status: 202, body: '{"id":' }), 'without'],
	])('is paid for, and not ordered again, shown %s', async (_, answer, id) => {
		service.manner = firstOrder(answer);

		const result = await run({}, { retryOnFail: { maxTries: 2 } });

		expect(outcomesOf(result)).toEqual(['pending']);
		expect(result.items[0]?.json).toMatchObject({ listingId: 123 });
		expect('id' in (result.items[0]?.json ?? {})).toBe(id === 'with its ID');
		expect(service.posts).toEqual(['POST 202']);
	});

	it('is in doubt if a page says so', async () => {
		service.manner = firstOrder(() => ({ status: 202, body: '<html></html>' }));

		const { error } = await run();

		expect(error?.message).toMatch(/web page instead of data$/);
		expect(error?.description).toMatch(
			/^A credit may have been spent\. Check the Products URL .* Check with Get Many/,
		);
		expect(service.posts).toEqual(['POST 202']);
	});
});

describe('an order that another one comes before, shown a little later', () => {
	const refused = (status: number, code: number): Reply => ({
		status,
		body: { errors: [{ reason: 'There is one', code }] },
	});

	it.each<[string, (made: Kept) => Reply]>([
		['303 alone', () => ({ status: 303 })],
		['303 and a list of one', (made) => ({ status: 303, body: [made] })],
		['303 and a page', () => ({ status: 303, body: '<html></html>' })],
		['303 and errors', () => refused(303, 1_011_004)],
		['303 to one that nobody knows', () => ({ status: 303, headers: { location: NOBODYS } })],
		['1011003', () => refused(400, 1_011_003)],
		['1011004', () => refused(409, 1_011_004)],
	])('says what the list says, not what %s may mean', async (_, answer) => {
		service.lagMs = 3 * SECOND;
		service.manner = ({ method }) =>
			method === 'POST' ? answer(service.keep(123, 'PENDING')) : undefined;

		const result = await run();

		expect(outcomesOf(result)).toEqual(['alreadyPending']);
		expect(result.items[0]?.json).toMatchObject({ id: service.kept[0]?.id });
		expect(service.posts).toHaveLength(1);
	});
});

describe('a refusal of the orders alone', () => {
	it.each([401, 403])('with %d costs one token more, for many listings', async (status) => {
		service.manner = ({ method }) => (method === 'POST' ? { status, body: NO } : undefined);
		const given = { listingId: '={{ $json.id }}' };
		const more = { input: listings(6), onError: 'continueRegularOutput' as const };

		const result = await run(given, more);

		expect(result.items.every(({ json }) => 'error' in json)).toBe(true);
		expect(service.tokens).toHaveLength(2);
		expect(service.posts).toHaveLength(7);
	});

	it('with 403 costs one token more if some are not refused', async () => {
		service.manner = ({ method, body }) =>
			method === 'POST' && Number(body.listingId) % 2 === 0 ? { status: 403, body: NO } : undefined;
		const given = { listingId: '={{ $json.id }}' };

		await run(given, { input: listings(6), onError: 'continueRegularOutput' });

		expect(service.credits).toBe(3);
		expect(service.tokens).toHaveLength(2);
	});

	it('with 403 costs one token more, for many changes of highlights', async () => {
		const kept = [1, 2, 3, 4].map((listing) => service.keep(listing, 'ACTIVATED'));
		service.manner = ({ method, url }) =>
			method === 'PATCH' && !url.pathname.endsWith(kept[1]?.id ?? '')
				? { status: 403, body: NO }
				: { status: 202, body: [kept[1]] };

		await run(
			{ operation: 'updateHighlights', activationId: '={{ $json.id }}' },
			{ input: kept.map(({ id }) => ({ json: { id } })), onError: 'continueRegularOutput' },
		);

		expect(service.tokens).toHaveLength(2);
	});
});

describe('a listing that has an activation', () => {
	it('is told by a service that takes 0 for no listing, and names none', async () => {
		const { listingId, ...nameless } = service.keep(123, 'SCHEDULED');
		service.keep(listingId + 1, 'ACTIVATED');
		service.manner = ({ isList, url }) => {
			const asked = Number(url.searchParams.get('listingId'));
			if (!isList) return undefined;
			if (asked === 0) return { status: 200, body: service.kept };
			return { status: 200, body: asked === 123 ? [nameless] : [] };
		};

		expect(outcomesOf(await run())).toEqual(['alreadyScheduled']);
	});

	it.each<[string, Partial<Kept>]>([
		['planned', { status: { result: 'SCHEDULED' } }],
		['waiting', { status: { result: 'PENDING' } }],
	])('%s is not over by a host’s clock that is days ahead', async (_, status) => {
		const expiryAt = new Date(Date.now() + 7 * DAY).toISOString();
		service.keep(123, '', { ...status, expiryAt });
		service.date = undefined;
		jest.useFakeTimers({ now: Date.now() + 8 * DAY, doNotFake: [...EVERYTHING_BUT_DATE] });

		expect(outcomesOf(await run())).toEqual([expect.stringMatching(/^already/)]);
		expect(service.credits).toBe(0);
	});
});
