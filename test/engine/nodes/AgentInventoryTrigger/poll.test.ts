import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import {
	AGENCY,
	InventoryBench,
	OTHER_AGENCY,
	PROPERTY_COLUMNS,
} from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';

const MINUTE = 60_000;
const NOON = Date.parse('2026-03-02T12:00:00Z');

let bench: InventoryBench;
let now = NOON;

beforeEach(async () => {
	bench = await InventoryBench.start();
	now = NOON;
	bench.setClock(now);
	bench.fill(30);
	bench.fill(20, OTHER_AGENCY);
});

afterEach(async () => {
	jest.useRealTimers();
	await bench.stop();
});

function pass(ms = MINUTE): void {
	bench.setClock((now += ms));
}

function idAt(index: number): string {
	return bench.sandbox.inventory.of(AGENCY)[index]?.id ?? '';
}

/** The poll of the activation, and all that is known of a small agency. */
async function activeHost(parameters = {}, options = {}): Promise<InventoryHost> {
	const host = new InventoryHost(bench, parameters, options);
	expect(await host.activate()).toEqual([]);
	pass();
	return host;
}

describe.each(TRIGGER_HOSTS)('on %s', (_, options) => {
	it('delivers what is new, has another price or another status, each once', async () => {
		const { inventory } = bench.sandbox;
		inventory.change(AGENCY, idAt(1), { inventoryStatus: 'Available' });
		const host = await activeHost({}, options);
		const { id } = inventory.create(AGENCY, { price: 300_000 });
		const before = { ...inventory.find(AGENCY, idAt(0)) };
		inventory.change(AGENCY, idAt(0), { price: 123_000 });
		inventory.change(AGENCY, idAt(1), { inventoryStatus: 'UnderOffer', price: 99_000 });
		inventory.change(AGENCY, idAt(2), { bedrooms: 17 });
		pass();

		const items = await host.tick();

		expect(items.map(({ id: each, event, events }) => [each, event, events])).toEqual(
			expect.arrayContaining([
				[id, 'created', ['created']],
				[idAt(0), 'priceChanged', ['priceChanged']],
				[idAt(1), 'statusChanged', ['statusChanged', 'priceChanged']],
			]),
		);
		expect(items).toHaveLength(3);
		const repriced = items.find(({ event }) => event === 'priceChanged');
		expect(repriced).toMatchObject({
			price: 123_000,
			previous: { price: before.price },
			agencyRef: AGENCY,
		});
		expect(Object.keys(repriced ?? {})).toEqual([
			...['event', 'address', 'price', 'events', 'previous', 'agencyRef'],
			...PROPERTY_COLUMNS.slice(2),
		]);
		for (let polls = 0; polls < 3; polls++) {
			pass();
			expect(await host.tick()).toEqual([]);
		}
	});
});

it('tells of a property that is archived or withdrawn, and not of one that is taken away', async () => {
	const { inventory } = bench.sandbox;
	const [first = '', second = '', third = ''] = inventory.of(AGENCY).map(({ id }) => id);
	for (const id of [first, second, third])
		inventory.change(AGENCY, id, { archived: false, inventoryStatus: 'UnderOffer' });
	const host = await activeHost();
	inventory.change(AGENCY, first, { archived: true });
	pass(1_000);
	inventory.change(AGENCY, second, { inventoryStatus: 'Withdrawn' });
	inventory.remove(AGENCY, third);
	pass();

	const items = await host.tick();

	expect(items.map(({ id, event, previous }) => [id, event, previous])).toEqual([
		[first, 'statusChanged', { archived: false }],
		[second, 'statusChanged', { status: 'Under Offer' }],
	]);
});

it('fails at activation if an AgencyRef is refused, and does not show the whole of it', async () => {
	const host = new InventoryHost(bench, {
		options: { agencyRefs: [AGENCY, 'not-ours-as-a-whole'] },
	});

	const error = await host.failure(host.activate());

	expect(error.message).toContain('Properties of agency not-ours…');
	expect(error.message).not.toContain('not-ours-as-a-whole');
});

it('shows a few properties in a manual test', async () => {
	const host = new InventoryHost(bench);
	bench.fill(7);

	const items = await host.test();

	expect(items).toHaveLength(5);
	expect(items[0]).toMatchObject({ id: idAt(0), event: 'created' });
	expect(items[0]?.previous).toEqual({});
	expect(host.state).toEqual({});
});

it('shows in a manual test what has the chosen status, with the chosen event', async () => {
	bench.fill(2);
	for (const [index, inventoryStatus] of ['Available', 'UnderOffer'].entries())
		bench.sandbox.inventory.change(AGENCY, idAt(index), { archived: false, inventoryStatus });
	const parameters = { events: ['priceChanged', 'updated'], filters: { status: ['UnderOffer'] } };

	const items = await new InventoryHost(bench, parameters).test();

	const { price } = { ...bench.sandbox.inventory.of(AGENCY)[1] };
	expect(items.map(({ id, events, previous }) => [id, events, previous])).toEqual([
		[idAt(1), ['priceChanged'], { price }],
	]);
});

it('takes the baseline over several polls', async () => {
	bench.fill(2_400);
	const host = new InventoryHost(bench);
	const log = jest.spyOn(host.logger, 'info').mockImplementation(() => {});
	const asked = () => bench.dataRequests.length;
	await host.activate();
	const polls = [asked()];
	const { inventory } = bench.sandbox;
	while (!JSON.stringify(host.state).includes('watermark') && polls.length < 20) {
		pass();
		const before = asked();
		expect(await host.tick()).toEqual([]);
		polls.push(asked() - before);
	}
	process.stdout.write(`requests of the polls of a baseline: ${polls.join(' ')}\n`);
	inventory.change(AGENCY, idAt(7), { price: 5 });
	pass();

	expect(Math.max(...polls)).toBeLessThanOrEqual(50);
	expect(await host.tick()).toMatchObject([{ event: 'priceChanged', price: 5 }]);
	expect(log.mock.calls.flat()).toEqual([
		expect.stringMatching(/^Properties of .+: all 2400 have/),
	]);
	const { known } = Object.values(host.state.agencies as Record<string, { known: string }>)[0] ?? {
		known: '',
	};
	process.stdout.write(`bytes a property: ${known.length / 2_400}\n`);
	expect(known.length / 2_400).toBeLessThan(45);
});
