import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { useChangesBench } from '../../../lab/engine/changesBench';
import { AGENCY } from '../../../lab/engine/inventory';
import type { InventoryHost } from '../../../lab/engine/inventoryPoll';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { alignClocks, setSkew } from '../../../lab/engine/virtualTime';
import type { FaultRule } from '../../../lab/sandbox/faults';
import { REFUSALS, Refusal } from '../../../lab/sandbox/http';
import { HOUR, MINUTE } from '../../../lab/times';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const world = useChangesBench();
const { bench, poll, idAt, change } = world;

let trigger: InventoryHost;

/** A trigger that knows all properties; later requests are counted from zero. */
async function setUp(): Promise<void> {
	trigger = await world.published({}, { runs: 'onePerPoll', options: { maxTries: 1 } });
	bench.sandbox.resetCounts();
}

const pricesOf = async (ms = MINUTE) => (await poll(trigger, ms)).map(({ price }) => price);

/** The queries of the requests for this path since the last call. */
function asked(path: string): Array<Record<string, string[]>> {
	const requests = bench.dataRequests.filter((request) => request.path.endsWith(path));
	bench.sandbox.resetCounts();
	return requests.map(({ query }) => query);
}

/** The service answers with this status when it is asked for the record of the first property. */
function refuseRecord(status: number) {
	const { inventory } = bench.sandbox;
	const read = inventory.read.bind(inventory);
	return jest.spyOn(inventory, 'read').mockImplementation((agencyRef, ids) => {
		if (ids.has(idAt(0))) throw new Refusal(REFUSALS.inventory(status, 'no'));
		return read(agencyRef, ids);
	});
}

/** Lets something happen as soon as the service has put the next page of a list together. */
function afterPage(happen: () => void): void {
	const { inventory } = bench.sandbox;
	const listed = inventory.listed.bind(inventory);
	jest.spyOn(inventory, 'listed').mockImplementationOnce((agencyRef) => {
		const rows = listed(agencyRef).map((property) => ({ ...property }));
		happen();
		return rows;
	});
}

describe('a record', () => {
	beforeEach(async () => {
		await setUp();
		change(0, { price: 1 });
		change(1, { price: 2 });
	});

	it('that cannot be read keeps the others back for one poll, and is read later, however late', async () => {
		const faulty = refuseRecord(500);

		expect([await pricesOf(), await pricesOf(), await pricesOf(3 * HOUR)]).toEqual([[], [2], []]);
		expect(asked('/filter')).toHaveLength(1 + 3 + 3);
		faulty.mockRestore();
		expect([await pricesOf(), await pricesOf()]).toEqual([[1], []]);
	});

	it.each([400, 404])(
		'that the service refuses with %d keeps nothing back, and is found within Look Back',
		async (status) => {
			const faulty = refuseRecord(status);

			expect([await pricesOf(), await pricesOf(50 * MINUTE)]).toEqual([[2], []]);
			expect(asked('/filter')).toHaveLength(6);
			faulty.mockRestore();
			expect([await pricesOf(), await pricesOf()]).toEqual([[1], []]);
		},
	);

	it.each<[string, number, FaultRule]>([
		['500', 2, { kind: 'status', status: 500, path: '/items' }],
		['a web page', 2, { kind: 'html', path: '/items' }],
		['an answer without a list', 2, { kind: 'status', status: 200, body: 'json', path: '/items' }],
		['429', 1, { kind: 'status', status: 429, path: '/items' }],
		['500 for a token', 1, { kind: 'status', status: 500, path: /token/ }],
	])(
		'is asked for alone only if it may be the cause: after %s, two take %d requests',
		async (...each) => {
			const [, requests, fault] = each;
			bench.sandbox.faults.add(fault);
			await Promise.allSettled([poll(trigger, 2 * HOUR)]);
			asked('/items');

			expect(await pricesOf()).toEqual([1, 2]);
			expect(asked('/items')).toHaveLength(requests);
		},
	);
});

describe('a list', () => {
	it('of which a page fails is read from its first page by the next poll, which asks for no list before it', async () => {
		await setUp();
		bench.sandbox.inventory.mostOnPage = 1;
		for (const index of [0, 1]) change(index, { archived: true });
		bench.sandbox.faults.add({ kind: 'status', status: 429, path: '/filter', after: 2 });

		const items = await poll(trigger);
		expect(asked('/filter')).toHaveLength(3);
		items.push(...(await poll(trigger)));

		expect(items.map(({ id }) => id)).toEqual([idAt(0), idAt(1)]);
		expect(asked('/filter').map((query) => [query.archived, query['next-token']])).toEqual([
			[['true'], undefined],
			[['true'], [expect.any(String)]],
			[['false'], undefined],
		]);
	});

	it('that changes while it is read is read again, since rows may have slipped to a page before', async () => {
		await setUp();
		bench.sandbox.inventory.mostOnPage = 1;
		change(0, { price: 3 });
		for (let polls = 0; polls < 2; polls++) await poll(trigger);
		change(1, { price: 1 });
		change(2, { price: 2 });
		afterPage(() => change(0, { archived: true }));

		// Longer than Look Back.
		expect([await pricesOf(3 * HOUR), await pricesOf()]).toEqual([[2, 3], [1]]);
	});

	it('for which a poll has no time left is read by the next one, which is no failure', async () => {
		await setUp();
		const log = jest.spyOn(trigger.logger, 'warn');
		afterPage(() => {
			bench.sandbox.advance(MINUTE);
			alignClocks();
		});

		await poll(trigger);
		expect(asked('/filter')).toHaveLength(1);
		await poll(trigger);
		expect(asked('/filter')).toHaveLength(2);
		expect(log).not.toHaveBeenCalled();
	});

	it('that changes while it is read for the first time is read again', async () => {
		bench.sandbox.inventory.mostOnPage = 6;
		const before = { ...bench.sandbox.inventory.of(AGENCY)[6] };
		afterPage(() => change(0, { archived: true }));
		await setUp();
		change(6, { price: 1 });

		expect(await poll(trigger)).toMatchObject([{ price: 1, previous: { price: before.price } }]);
	});

	it('of records that are read one by one takes several polls if it is long', async () => {
		bench.fill(60);
		await setUp();
		for (let index = 0; index < 60; index++) change(index, { price: index });
		bench.sandbox.faults.add({ kind: 'status', status: 500, path: '/items' });

		const counts = [];
		for (const ms of [3 * HOUR, MINUTE, MINUTE]) counts.push((await pricesOf(ms)).length);
		expect(counts).toEqual([0, 39, 21]);
	});
});

it('what counts as new is said by the clock of the service', async () => {
	setSkew(HOUR);
	await setUp();
	bench.sandbox.inventory.create(AGENCY, { price: 1 });

	expect(await pricesOf()).toEqual([1]);
});

describe('an agency that is busy', () => {
	beforeEach(async () => {
		await setUp();
		bench.sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 600, path: '/filter' });
		await Promise.allSettled([poll(trigger)]);
	});

	it('is asked again after the time that the service says', async () => {
		const requests = [];
		for (let polls = 0; polls < 11; polls++) {
			requests.push(asked('/filter').length);
			await poll(trigger);
		}

		expect(requests).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
	});

	it('is asked once the workflow is published again', async () => {
		asked('/filter');
		await world.activate(trigger);

		expect(asked('/filter')).not.toEqual([]);
	});
});
