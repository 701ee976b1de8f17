import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { EVERYTHING_BUT_DATE } from '../../../lab/engine/bench';
import { InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { useBench, useWire } from '../../../lab/engine/useBench';
import { parameterOf, withoutTokens } from '../../../lab/engine/wire';
import type { FilterQuestion } from '../../../lab/reference/inventory';
import { filter, getItems } from '../../../lab/reference/inventory';

const NOW = new Date('2026-03-29T12:00:00.789Z');
const MINUTE_MS = 60_000;
/** The minute before a workflow is published belongs to it. */
const PUBLISHED = Date.parse('2026-03-29T11:59:00Z');

const wire = useWire();
const bench = useBench(InventoryBench);

beforeEach(() => {
	jest.useFakeTimers({ now: NOW, doNotFake: [...EVERYTHING_BUT_DATE] });
	Object.assign(bench.stored, wire.credential('inventory'));
});

/** A list as it has to be asked for: current ones or archived ones. */
function list(archived: boolean, more: FilterQuestion = {}, agencyRef?: string) {
	const door = wire.door('inventory');
	return filter(
		{ ...door, ...(agencyRef !== undefined && { agencyRef }) },
		{ archived, 'max-results': 250, ...more },
	);
}

/** The lists of a poll as they have to be asked for: all that was modified since, and what was created. */
function lists(from: number, more: FilterQuestion = {}, agencyRef?: string) {
	const since = new Date(from);
	return [
		list(false, { 'modified-from': since, ...more }, agencyRef),
		list(true, { 'modified-from': since, ...more }, agencyRef),
		list(false, { 'created-from': since, ...more }, agencyRef),
	];
}

const records = (...ids: string[]) => getItems(wire.door('inventory'), ids);

const sent = () => withoutTokens(wire.take());

/** What the activation sends, and the poll five minutes later. */
async function pollsOf(parameters: INodeParameters = {}) {
	const host = new InventoryHost(bench, parameters);
	await host.activate();
	const first = sent();
	jest.setSystemTime(NOW.getTime() + 5 * MINUTE_MS);
	await host.tick();
	return { first, second: sent() };
}

describe('a poll of Agent Inventory Trigger asks', () => {
	it('for all properties and their records at first, and then for what was modified or created since', async () => {
		const { first, second } = await pollsOf();
		const since = PUBLISHED - 60 * MINUTE_MS;

		expect(first).toEqual(await wire.ofReference(list(false), records('5001'), list(true)));
		expect(second).toEqual(await wire.ofReference(...lists(since)));
	});

	it('with every filter but the status, which it looks at itself', async () => {
		const { second } = await pollsOf({
			filters: {
				...{ recordType: 'Rent', category: 'Commercial', branchIds: ['11', 'A1&b=2+3'] },
				status: ['LetAgreed'],
			},
			options: { lookBack: 90 },
		});
		const more: FilterQuestion = {
			...{ recordType: 'Rent', categoryType: 'Commercial', branchIds: ['11', 'A1&b=2+3'] },
		};
		const since = PUBLISHED - 90 * MINUTE_MS;

		expect(second).toEqual(await wire.ofReference(...lists(since, more)));
	});

	it('each agency with its AgencyRef', async () => {
		const agencyRefs = ['first-agency', 'second-agency'];
		const { second } = await pollsOf({ options: { agencyRefs: agencyRefs.join(', ') } });
		const since = PUBLISHED - 60 * MINUTE_MS;
		const right = agencyRefs.flatMap((agencyRef) => lists(since, {}, agencyRef));

		expect(second).toHaveLength(right.length);
		expect(second).toEqual(expect.arrayContaining(await wire.ofReference(...right)));
	});

	it('page by page, and in the next poll again if that brought something new', async () => {
		wire.pages = 3;
		const { first, second } = await pollsOf();
		const asked = [...first, ...second].filter(({ path }) => path.endsWith('/filter'));
		const pages = ['', '2', '3'];

		expect(asked.map((each) => parameterOf(each, 'next-token'))).toEqual(
			[pages, pages, pages, pages].flat(),
		);
		expect(asked.slice(0, 3)).toEqual(
			await wire.ofReference(
				...pages.map((token) => list(false, token ? { 'next-token': token } : {})),
			),
		);
	});

	it('for the records of a page in one request', async () => {
		wire.pages = 3;
		const { first } = await pollsOf();
		const [asked] = first.filter(({ path }) => path.endsWith('/items'));

		expect([asked]).toEqual(await wire.ofReference(records('5001')));
	});
});

describe('the manual test of Agent Inventory Trigger asks', () => {
	it('for current properties, and for the records', async () => {
		await new InventoryHost(bench).test();

		expect(sent()).toEqual(
			await wire.ofReference(list(false, { 'max-results': 5 }), records('5001')),
		);
	});
});
