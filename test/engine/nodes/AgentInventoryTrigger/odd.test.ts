import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { InventoryHost, triggerOfNewProcess } from '../../../lab/engine/inventoryPoll';
import { ODD_AGENCY, OddInventory } from '../../../lab/engine/oddInventory';

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

async function polls(host: InventoryHost, count: number): Promise<IDataObject[]> {
	const items: IDataObject[] = [];
	for (let poll = 0; poll < count; poll++) {
		items.push(...(await host.tick()));
		service.pass(MINUTE);
	}
	return items;
}

it('is fine', async () => {
	service.put('1', { price: 100 }, { agoMs: DAY });
	const host = await activeHost();
	service.put('1', { price: 90 });
	expect(told(await polls(host, 3))).toEqual([['1', 'priceChanged', { price: 100 }]]);
});

describe.each(['modified-to', 'modified-from', 'next-token', 'both'])('overlooks %s', (name) => {
	it('is bounded and comes to its end', async () => {
		for (let id = 0; id < 600; id++) service.put(String(id), { price: id }, { agoMs: DAY + id * MINUTE });
		for (const each of name === 'both' ? ['modified-from', 'modified-to'] : [name]) service.overlooked.add(each);
		const host = new InventoryHost(service, {}, { startsTriggers: true });
		const counts: number[] = [];
		let before = 0;
		await host.activate().catch((error) => console.log(error));
		for (let poll = 0; poll < 4; poll++) {
			counts.push(service.requests.length - before);
			before = service.requests.length;
			service.pass(MINUTE);
			await host.tick().catch((error) => counts.push(-1));
		}
		console.log(name, counts.join(), JSON.stringify(host.state).slice(0, 700));
		service.put('7', { price: 1 });
		console.log(told(await polls(host, 3)));
	}, 200_000);
});

it('record of another id', async () => {
	service.put('1', { price: 100 }, { agoMs: DAY });
	service.put('2', { price: 200 }, { agoMs: DAY });
	const host = await activeHost();
	service.put('1', { price: 100, bedrooms: 3 });
	service.answer = ({ path }) => {
		if (path === '/inventory/items') return { body: { totalCount: 5, items: [{ id: "9" }] } };
		if (path === '/inventory/1') return { body: { id: '2', branchId: '101', price: 200, inventoryStatus: 'Available', archived: false } };
		return undefined;
	};
	console.log('other', told(await polls(host, 3)), service.requests.length);
});

it('modified in the future and back', async () => {
	service.put('1', { price: 100 }, { agoMs: DAY });
	const host = await activeHost();
	service.put('1', { price: 90 }, { agoMs: -3 * DAY });
	console.log('future', told(await polls(host, 3)));
	service.put('1', { price: 80 });
	console.log('future', told(await polls(host, 80)));
});

it('a long id', async () => {
	const id = 'x'.repeat(300);
	service.put(id, { price: 100 }, { agoMs: DAY });
	const host = await activeHost({ runs: 'onePerChange' });
	service.put(id, { price: 90 });
	await polls(host, 2);
	console.log('long', host.executions.rows.map(({ key }) => key?.length));
});

it('others than those whose records fail', async () => {
	for (let id = 0; id < 700; id++) service.put(String(id), { price: id }, { agoMs: DAY + id * MINUTE });
	const host = await activeHost();
	await polls(host, 3);
	for (let id = 0; id < 600; id++) service.put(String(id), { price: id + 10_000 });
	service.answer = ({ path, query }) => {
		if (!/items|inventory.\d/.test(path)) return undefined;
		const ids = [...query.getAll('inventory-id'), path.slice(11)];
		return ids.some((id) => Number(id) < 600 && id !== '') ? { status: 500, body: {} } : undefined;
	};
	console.log('failing', told(await polls(host, 12)).length);
	const late = service.put('650', { price: 1 });
	late.record = { modifiedDate: '2026-03-01T00:00:00Z', price: 650 };
	console.log('failing', told(await polls(host, 2)));
	delete late.record;
	console.log('failing', told(await polls(host, 1)));
	console.log('failing', told(await polls(host, 20)));
	service.answer = () => undefined;
	console.log('failing', (await polls(host, 3)).length);
	console.log('failing', (await polls(host, 40)).length);
}, 300_000);

void [ODD_AGENCY, triggerOfNewProcess];
