import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { InventoryHost, triggerOfNewProcess } from '../../../lab/engine/inventoryPoll';
import { ODD_AGENCY, OddInventory } from '../../../lab/engine/oddInventory';
import type * as VirtualTime from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const NOON = Date.parse('2026-03-02T12:00:00Z');

let service: OddInventory;

beforeEach(async () => {
	service = (await OddInventory.start(NOON)).connect();
});

afterEach(async () => {
	await service.stop();
});

async function activeHost(parameters = {}, options = {}): Promise<InventoryHost> {
	const host = new InventoryHost(service, parameters, { startsTriggers: true, ...options });
	expect(await host.activate()).toEqual([]);
	service.pass(MINUTE);
	return host;
}

function told(items: IDataObject[]) {
	return items.map(({ id, event, previous }) => [id, event, previous]);
}

/** Lets runs that were started end. */
async function runsEnd(): Promise<void> {
	for (let turn = 0; turn < 60; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function polls(host: InventoryHost, count: number): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	for (let poll = 0; poll < count; poll++) {
		items.push(...(await host.tick()));
		await runsEnd();
		service.pass(MINUTE);
	}
	return items;
}

it('a service that overlooks all times is asked for so much each poll, and its changes are found', async () => {
	for (let id = 0; id < 540; id++)
		service.put(String(id), { price: id }, { agoMs: 2 * DAY + id * MINUTE });
	for (const name of ['modified-from', 'created-from']) service.overlooked.add(name);
	const host = await activeHost();
	await polls(host, 4);
	const asked = service.requests.length;
	service.put('7', { price: 1 });

	expect(told(await polls(host, 3))).toEqual([['7', 'priceChanged', { price: 7 }]]);
	expect(service.requests.length - asked).toBeLessThan(3 * 25);
	expect(JSON.stringify(host.state)).toContain('watermark');
});

it('no message shows a whole AgencyRef', async () => {
	const agencyRefs = [ODD_AGENCY, '6a0c2a11-9d64-4b7e-8a35-0d1e2f3a4b5d'];
	const host = await activeHost({ options: { agencyRefs: agencyRefs.join(',') } });
	service.answer = ({ agencyRef }) =>
		agencyRef === ODD_AGENCY ? { status: 403, body: {} } : undefined;
	await polls(host, 1);

	expect(host.reported).toHaveLength(1);
	for (const { message } of host.reported) {
		expect(message).toContain(ODD_AGENCY.slice(0, 8));
		expect(message).not.toContain(ODD_AGENCY);
	}
});

it('a record of another property is nobody’s', async () => {
	service.put('1', { price: 100 }, { agoMs: DAY });
	const host = await activeHost();
	service.put('1', { price: 90 });
	service.answer = ({ path }) => {
		if (path === '/inventory/items') return { body: { items: [{ id: '9', branchId: '101' }] } };
		if (path === '/inventory/1') return { body: { id: '2', branchId: '101', price: 200 } };
		return undefined;
	};
	expect(await polls(host, 3)).toEqual([]);
	service.answer = () => undefined;

	expect(told(await polls(host, 2))).toEqual([['1', 'priceChanged', { price: 100 }]]);
});

it('a change is found although an earlier one has a later time', async () => {
	service.put('1', { price: 100 }, { agoMs: DAY });
	const host = await activeHost();
	service.put('1', { price: 90 }, { agoMs: -3 * DAY });
	expect(told(await polls(host, 2))).toEqual([['1', 'priceChanged', { price: 100 }]]);
	service.put('1', { price: 80 });

	expect(told(await polls(host, 80))).toEqual([['1', 'priceChanged', { price: 90 }]]);
});

it.each(['onePerPoll', 'onePerChange'])(
	'what a property was before it was read is no event, with Runs on %s',
	async (runs) => {
		service.put('1', { price: 100 }, { agoMs: DAY });
		const host = await activeHost({ runs });
		const toldOf = async (count: number) => {
			const before = host.executions.started.length;
			const items = await polls(host, count);
			return told([...items, ...host.executions.started.slice(before)]);
		};
		service.put('1', { price: 90 });
		expect(await toldOf(2)).toEqual([['1', 'priceChanged', { price: 100 }]]);
		const behind = service.put('1', { bedrooms: 4 });
		behind.record = { price: 100, modifiedDate: '2026-03-01T12:00:00Z' };
		expect(await toldOf(5)).toEqual([]);
		service.put('1', { price: 80 }).record = {};

		expect(await toldOf(3)).toEqual([['1', 'priceChanged', { price: 90 }]]);
	},
);

it.each([404, 500])('a property whose record fails with %s holds up no others', async (status) => {
	for (let id = 0; id < 60; id++)
		service.put(String(id), { price: id }, { agoMs: DAY + id * MINUTE });
	const host = await activeHost({ options: { maxTries: 1 } });
	const isBad = (id: string) => id === '7';
	service.answer = ({ path, query }) => {
		const ids = [...query.getAll('inventory-id'), path.slice('/inventory/'.length)];
		return path !== '/inventory/filter' && ids.some(isBad) ? { status, body: {} } : undefined;
	};
	for (const id of ['7', '8', '30']) service.put(id, { price: 1_000 });

	expect(told(await polls(host, 3)).map(([id]) => id)).toEqual(['8', '30']);
	service.pass(5 * MINUTE);
	service.answer = () => undefined;

	expect(told(await polls(host, 2))).toEqual([['7', 'priceChanged', { price: 7 }]]);
});

describe.each([
	['the default scheduler', {}],
	['durable cursors', { isDurable: true }],
])('a process that is killed on %s before it has told of any change', (_name, options) => {
	it.each(['onePerPoll', 'onePerChange'])(
		'leaves the baseline to the next one, with Runs on %s',
		async (runs) => {
			const ids = Array.from({ length: 1_300 }, (_each, index) => String(index));
			for (const id of ids)
				service.put(id, { price: 100 }, { agoMs: 2 * DAY + Number(id) * MINUTE });
			const host = await activeHost({ runs }, options);
			await polls(host, 4);
			const changed = ['0', '650', '1299'];
			for (const id of changed) service.put(id, { price: 90 });

			const node = await triggerOfNewProcess();
			const next = new InventoryHost(service, { runs }, { ...host.remains, node });
			const items = [...(await next.activate()), ...(await polls(next, 4))];

			const all = [...items, ...next.executions.started].filter(({ id }) => id !== undefined);
			expect(sortBy(told(all))).toEqual(
				changed.map((id) => [id, 'priceChanged', { price: 100 }]).sort(),
			);
		},
		60_000,
	);
});

describe.each([
	['the default scheduler', {}],
	['durable cursors', { isDurable: true }],
])('on %s', (_name, options) => {
	/** A process that is killed just after it has stored that a run begins. */
	async function killedAtStart(price: number, isStored: boolean): Promise<InventoryHost> {
		service.put('1', { price: 100 }, { agoMs: DAY });
		const host = await activeHost({ runs: 'onePerChange' }, options);
		service.put('1', { price: 90 });
		const { executions } = host;
		const stored: Array<InventoryHost['remains']> = [];
		const isLocked = () => {
			stored.push(host.remains);
			return !isStored;
		};
		Object.defineProperty(executions, 'isLocked', { configurable: true, get: isLocked });
		await host.tick();
		await runsEnd();
		expect(stored.length).toBeGreaterThan(0);
		Object.defineProperty(executions, 'isLocked', { value: false });
		service.pass(MINUTE);
		service.put('1', { price });
		const node = await triggerOfNewProcess();
		const next = new InventoryHost(service, { runs: 'onePerChange' }, { ...stored[0], node });
		await next.activate();
		service.pass(MINUTE);
		await polls(next, 4);
		return next;
	}

	it('a change whose run was stored before a kill is followed by the next one', async () => {
		const { executions } = await killedAtStart(80, true);

		expect(told(executions.started)).toEqual([
			['1', 'priceChanged', { price: 100 }],
			['1', 'priceChanged', { price: 90 }],
		]);
	});

	it('a change whose run was lost in a kill is told with the next one', async () => {
		const { executions } = await killedAtStart(80, false);

		expect(told(executions.started)).toEqual([['1', 'priceChanged', { price: 100 }]]);
		expect(executions.started).toMatchObject([{ price: 80 }]);
	});
});

describe.each([
	['onePerPoll', {}],
	['onePerChange', {}],
	['onePerPoll', { isDurable: true }],
	['onePerChange', { isDurable: true }],
])('with %s and %j', (runs, options) => {
	it('values and IDs of any kind come once, with what they were', async () => {
		const ids = ['a b', 'é,;:', '%2C', '__proto__', '1e3', 'constructor', '007', "o'x"];
		const agencies = [ODD_AGENCY, '5f0c2a11-9d64-4b7e-8a35-0d1e2f3a4b5d'];
		const putAll = (values: IDataObject, agoMs = 0) => {
			for (const agencyRef of agencies) {
				for (const id of ids) service.put(id, values, { agoMs, agencyRef });
			}
		};
		putAll({ price: 7 }, DAY);
		const host = await activeHost({ runs, options: { agencyRefs: agencies.join(',') } }, options);
		const steps: Array<[IDataObject, IDataObject?]> = [
			[{ price: null }, { price: 7 }],
			[{ price: 100 }, { price: null }],
			[{ price: 'POA' }, { price: 100 }],
			[{ price: {} }, { price: 'POA' }],
			[{ price: 1e21 }, { price: null }],
			[{ price: 0.1 }, { price: 1e21 }],
			[{ inventoryStatus: 'Odd, one; two' }, { status: 'Available' }],
			[{ inventoryStatus: null }, { status: 'Odd, one; two' }],
			[{ inventoryStatus: '' }],
			[{ archived: true }, { archived: false }],
		];
		for (const [values, previous] of steps) {
			putAll(values);
			const before = host.executions.started.length;
			const items = await polls(host, 2);
			items.push(...host.executions.started.slice(before));

			expect(new Set(items.map(({ agencyRef, id }) => JSON.stringify([agencyRef, id]))).size).toBe(
				items.length,
			);
			expect(items.map((item) => item.previous)).toEqual(previous ? Array(16).fill(previous) : []);
		}
	});
});

describe('a property that was never modified, and has no time at which it was,', () => {
	const never = { isModified: false };

	it('is found as it is created, once', async () => {
		service.put('1', { price: 100 }, { ...never, agoMs: DAY });
		const host = await activeHost();
		service.put('2', { price: 90 }, never);

		expect(told(await polls(host, 5))).toEqual([['2', 'created', {}]]);
	});

	it('is known as it was at the start, also in a list of several pages', async () => {
		for (let id = 0; id < 600; id++)
			service.put(String(id), { price: 100 }, { ...never, agoMs: DAY + id * MINUTE });
		const host = await activeHost();
		await polls(host, 6);
		service.put('7', { price: 90 });
		service.put('555', { price: 80 });

		expect(told(await polls(host, 3))).toEqual([
			['7', 'priceChanged', { price: 100 }],
			['555', 'priceChanged', { price: 100 }],
		]);
	});

	it('comes with its first change, though its record shows that late', async () => {
		service.put('1', { price: 100 }, { ...never, agoMs: DAY });
		const host = await activeHost();
		const changed = service.put('1', { price: 90 });
		changed.record = { price: 100, modifiedDate: null };

		expect(await polls(host, 3)).toEqual([]);
		delete changed.record;
		expect(told(await polls(host, 3))).toEqual([['1', 'priceChanged', { price: 100 }]]);
	});
});

it('what was there at the start is known, in a list of several pages, and read once', async () => {
	for (let id = 0; id < 600; id++) {
		const property = service.put(String(id), { price: 100 }, { agoMs: 2 * DAY + id * MINUTE });
		if (id % 3 === 0) property.createdAt = null;
	}
	const host = await activeHost();
	expect(await polls(host, 3)).toEqual([]);
	const before = service.requests.length;
	await polls(host, 2);
	expect(service.requests).toHaveLength(before + 2 * 3);
	for (const id of ['590', '7']) service.put(id, { price: 90 });

	expect(sortBy(told(await polls(host, 4)), 0)).toEqual([
		['590', 'priceChanged', { price: 100 }],
		['7', 'priceChanged', { price: 100 }],
	]);
});

it('what was there at the start and could not be read then is not new', async () => {
	for (const id of ['1', '2', '3']) {
		service.put(id, { price: 100 }, { agoMs: DAY }).record = { createdDate: null };
	}
	let fails = true;
	service.answer = ({ path }) =>
		fails && path !== '/inventory/filter' ? { status: 500, body: {} } : undefined;
	const host = await activeHost({ options: { maxTries: 1 } });
	await polls(host, 1);
	fails = false;

	expect(await polls(host, 3)).toEqual([]);
	service.put('2', { price: 90 });
	expect(told(await polls(host, 2))).toEqual([['2', 'priceChanged', { price: 100 }]]);
});

it('changes do not wait for what is read in vain', async () => {
	// Their records never say when they were modified, and look older than their rows.
	for (let id = 0; id < 1_300; id++) {
		const property = service.put(String(id), { price: 100 }, { agoMs: 2 * DAY + id * MINUTE });
		property.createdAt = service.now - 100 * DAY;
		property.record = { modifiedDate: null };
	}
	const host = await activeHost();
	await polls(host, 6);
	for (const id of ['7', '1200']) service.put(id, { price: 90 });

	expect(sortBy(told(await polls(host, 1)), 0)).toEqual([
		['1200', 'priceChanged', { price: 100 }],
		['7', 'priceChanged', { price: 100 }],
	]);
});

it('a new property that was never modified is read once', async () => {
	const host = await activeHost();
	service.put('1', { price: 90 }, { isModified: false });
	await polls(host, 1);
	const before = service.requests.length;

	await polls(host, 3);

	expect(service.requests.slice(before).map(({ path }) => path)).toEqual(
		Array.from({ length: 9 }, () => '/inventory/filter'),
	);
});
