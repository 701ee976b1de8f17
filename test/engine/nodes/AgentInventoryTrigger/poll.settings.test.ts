import { describe, expect, it, jest } from '@jest/globals';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useChangesBench } from '../../../lab/engine/changesBench';
import { AGENCY, OTHER_AGENCY } from '../../../lab/engine/inventory';
import type { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import type { HostOptions } from '../../../lab/engine/triggerHost';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { alignClocks } from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const MINUTE = 60_000;

const world = useChangesBench();
const { poll, idAt, change } = world;

const RUNS = ['onePerPoll', 'onePerChange'];

const CASES = TRIGGER_HOSTS.flatMap(([host, options]) =>
	RUNS.map((runs): [string, string, HostOptions] => [runs, host, options]),
);

/** A trigger, and what it has delivered in whichever way since somebody asked last. */
class Watched {
	private taken = 0;

	private items: IDataObject[] = [];

	constructor(private host: InventoryHost) {}

	/** A person publishes the workflow with these parameters changed. */
	async publish(parameters: INodeParameters = {}): Promise<void> {
		await this.host.unpublish();
		Object.assign(this.host.parameters, parameters);
		this.items.push(...(await world.activate(this.host)));
	}

	async polls(count = 2): Promise<IDataObject[]> {
		for (let polls = 0; polls < count; polls++) {
			const items = await poll(this.host);
			this.items.push(...items);
			// n8n stores the progress with the items.
			if (items.length > 0) this.host.saved = structuredClone(this.host.state);
		}
		return this.take();
	}

	/** How many agencies there is progress of. */
	get agencies(): number {
		return Object.keys(this.host.state.agencies ?? {}).length;
	}

	get executions(): InventoryHost['executions'] {
		return this.host.executions;
	}

	private take(): IDataObject[] {
		const { started } = this.host.executions;
		const taken = [...this.items, ...started.slice(this.taken)];
		this.taken = started.length;
		this.items = [];
		return taken;
	}
}

function pass(ms: number): void {
	alignClocks();
	world.bench.sandbox.advance(ms);
	alignClocks();
}

const create = (changes = {}, agencyRef = AGENCY) =>
	world.bench.sandbox.inventory.create(agencyRef, { recordType: 'Sale', ...changes }).id;

describe.each(CASES)('%s on %s', (runs, _, options) => {
	const watched = (parameters: INodeParameters = {}) =>
		new Watched(world.hostOf(options, { runs, ...parameters }));

	describe('other filters', () => {
		it('bring the properties that they let through without events, and then their changes', async () => {
			change(0, { recordType: 'Sale' });
			change(1, { recordType: 'Rent' });
			const trigger = watched();
			await trigger.publish({ filters: { recordType: 'Sale' } });
			change(1, { price: 1 });
			create({ recordType: 'Rent' });
			expect(await trigger.polls()).toEqual([]);

			await trigger.publish({ filters: {} });
			expect(await trigger.polls()).toEqual([]);
			change(0, { price: 2 });
			pass(1_000);
			change(1, { price: 3 });

			expect(await trigger.polls()).toMatchObject([
				{ id: idAt(0), event: 'priceChanged', price: 2 },
				{ id: idAt(1), event: 'priceChanged', price: 3, previous: { price: 1 } },
			]);
		});

		it('lose nothing of what happened since the last poll', async () => {
			change(0, { recordType: 'Sale' });
			const trigger = watched();
			await trigger.publish({ filters: { recordType: 'Rent' } });
			await trigger.polls();
			change(0, { price: 1 });
			pass(1_000);
			const created = create();
			pass(1_000);

			await trigger.publish({ filters: { recordType: 'Sale' } });

			expect(await trigger.polls()).toMatchObject([{ id: created, event: 'created' }]);
			expect(await trigger.polls()).toEqual([]);
		});

		it('keep what is known: a change that they hid meanwhile is told once they are back', async () => {
			change(0, { recordType: 'Sale', price: 1 });
			const trigger = watched();
			await trigger.publish();
			await trigger.polls();
			await trigger.publish({ filters: { recordType: 'Rent' } });
			change(0, { price: 2 });
			pass(1_000);
			change(0, { price: 3 });
			expect(await trigger.polls()).toEqual([]);

			await trigger.publish({ filters: {} });

			expect(await trigger.polls()).toMatchObject([
				{ id: idAt(0), event: 'priceChanged', price: 3, previous: { price: 1 } },
			]);
			expect(await trigger.polls()).toEqual([]);
		});

		it('of the status do not tell later what changed while it was another one', async () => {
			change(0, { inventoryStatus: 'Available', price: 1 });
			const trigger = watched();
			await trigger.publish({ filters: { status: ['UnderOffer'] } });
			await trigger.polls();
			change(0, { price: 2 });
			expect(await trigger.polls()).toEqual([]);

			await trigger.publish({ filters: {} });
			expect(await trigger.polls()).toEqual([]);
			change(0, { inventoryStatus: 'UnderOffer' });

			expect(await trigger.polls()).toMatchObject([
				{ events: ['statusChanged'], previous: { status: 'Available' }, price: 2 },
			]);
		});
	});

	it('other events do not tell later what happened before they were chosen', async () => {
		const trigger = watched();
		await trigger.publish({ events: ['created'] });
		await trigger.polls();
		change(0, { price: 1 });
		expect(await trigger.polls()).toEqual([]);

		await trigger.publish({ events: ['priceChanged'] });
		expect(await trigger.polls()).toEqual([]);
		change(0, { price: 2 });

		expect(await trigger.polls()).toMatchObject([
			{ events: ['priceChanged'], previous: { price: 1 } },
		]);
	});

	describe('the start with Look Back', () => {
		const LOOK_BACK = {
			events: ['created', 'statusChanged', 'priceChanged', 'updated'],
			startFrom: 'lookBack',
			options: { lookBack: 30 },
		};

		it('delivers what was created or modified in that time, and makes up nothing of what it was', async () => {
			change(0, { price: 1 });
			create();
			pass(31 * MINUTE);
			change(1, { price: 2, inventoryStatus: 'Withdrawn' });
			pass(MINUTE);
			const created = create();
			pass(20 * MINUTE);
			const trigger = watched();
			await trigger.publish(LOOK_BACK);

			expect(await trigger.polls()).toMatchObject([
				{ id: idAt(1), events: ['updated'], previous: {}, price: 2 },
				{ id: created, events: ['created'], previous: {} },
			]);
			expect(await trigger.polls()).toEqual([]);
		});

		it('is in force for the first poll alone', async () => {
			const trigger = watched();
			await trigger.publish();
			await trigger.polls();
			pass(MINUTE);

			await trigger.publish(LOOK_BACK);

			expect(await trigger.polls()).toEqual([]);
		});
	});

	describe('an AgencyRef that is', () => {
		const BOTH = { options: { agencyRefs: `${AGENCY},${OTHER_AGENCY}` } };

		it('added starts as Start From says, and the others go on', async () => {
			const trigger = watched();
			await trigger.publish();
			await trigger.polls();
			change(0, { price: 1 });
			change(0, { price: 1 }, OTHER_AGENCY);
			create({}, OTHER_AGENCY);
			pass(2 * MINUTE);

			await trigger.publish(BOTH);

			expect(await trigger.polls()).toMatchObject([{ agencyRef: AGENCY, price: 1 }]);
			change(0, { price: 2 }, OTHER_AGENCY);
			expect(await trigger.polls()).toMatchObject([
				{ agencyRef: OTHER_AGENCY, price: 2, previous: { price: 1 } },
			]);
		});

		it('removed is forgotten, and one that comes back starts over', async () => {
			const trigger = watched();
			await trigger.publish(BOTH);
			await trigger.polls();
			await trigger.publish({ options: {} });
			change(0, { price: 1 });
			change(0, { price: 1 }, OTHER_AGENCY);

			expect(await trigger.polls()).toMatchObject([{ agencyRef: AGENCY, price: 1 }]);
			expect(trigger.agencies).toBe(1);
			pass(2 * MINUTE);

			await trigger.publish(BOTH);
			expect(await trigger.polls()).toEqual([]);
			change(0, { price: 2 }, OTHER_AGENCY);
			expect(await trigger.polls()).toMatchObject([
				{ agencyRef: OTHER_AGENCY, price: 2, previous: { price: 1 } },
			]);
		});
	});
});

describe.each(TRIGGER_HOSTS)('with a run under way on %s', (_, options) => {
	it('an AgencyRef is removed and comes back, and no change of it is lost or doubled', async () => {
		const BOTH = { options: { agencyRefs: `${AGENCY},${OTHER_AGENCY}` } };
		const trigger = new Watched(world.hostOf(options, { runs: 'onePerChange' }));
		await trigger.publish(BOTH);
		await trigger.polls();
		const { executions } = trigger;
		executions.resultOf = () => undefined;
		change(0, { price: 1 }, OTHER_AGENCY);
		expect(await trigger.polls()).toMatchObject([{ price: 1 }]);

		await trigger.publish({ options: {} });
		await trigger.polls();
		change(0, { price: 2 }, OTHER_AGENCY);
		await trigger.publish(BOTH);
		await trigger.polls();
		executions.resultOf = () => 'success';
		for (const run of executions.rows) executions.end(run, 'success');

		expect(await trigger.polls(3)).toMatchObject([{ price: 2, previous: { price: 1 } }]);
		expect(await trigger.polls()).toEqual([]);
	});
});
