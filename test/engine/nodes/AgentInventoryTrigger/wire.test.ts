import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { EVERYTHING_BUT_DATE } from '../../../lab/engine/bench';
import { InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import type { Recorded } from '../../../lab/engine/recorder';
import { useBench, useWire } from '../../../lab/engine/useBench';
import { parameterOf, withoutTokens } from '../../../lab/engine/wire';
import type { FilterQuestion } from '../../../lab/reference/inventory';
import { filter, getItems } from '../../../lab/reference/inventory';

const NOW = new Date('2026-03-29T12:00:00.789Z');
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
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

const sent = () => withoutTokens(wire.recorder.take());

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

		expect(first).toEqual(
			await wire.ofReference(list(false), records('5001'), ...lists(since), list(true)),
		);
		const next = Date.parse('2026-03-29T11:00:00Z');
		expect(second).toEqual(await wire.ofReference(...lists(next)));
	});

	it('with every filter but the status, which it looks at itself', async () => {
		const { second } = await pollsOf({
			filters: {
				...{ recordType: 'Rent', category: 'Commercial', branchIds: ['11', 'A 1&b=2+3'] },
				status: ['LetAgreed'],
			},
			options: { lookBack: 90 },
		});
		const more: FilterQuestion = {
			...{ recordType: 'Rent', categoryType: 'Commercial', branchIds: ['11', 'A 1&b=2+3'] },
		};
		const since = Date.parse('2026-03-29T10:30:00Z');

		expect(second).toEqual(await wire.ofReference(...lists(since, more)));
	});

	it('each agency with its AgencyRef', async () => {
		const agencyRefs = ['first-agency', 'second-agency'];
		const { second } = await pollsOf({ options: { agencyRefs: agencyRefs.join(', ') } });
		const since = Date.parse('2026-03-29T11:00:00Z');
		const right = agencyRefs.flatMap((agencyRef) => lists(since, {}, agencyRef));

		expect(second).toHaveLength(right.length);
		expect(second).toEqual(expect.arrayContaining(await wire.ofReference(...right)));
	});

	it('for times that fit a page if there are several, and page by page only within a second', async () => {
		wire.recorder.pages = 3;
		const { first, second } = await pollsOf();
		const asked = [...first, ...second].filter(({ path }) => path.endsWith('/filter'));

		expect(asked).toEqual(await wire.ofReference(...asked.map(asRead)));
		const paged = asked.filter((each) => parameterOf(each, 'next-token') !== '');
		expect(new Set(paged.map((each) => parameterOf(each, 'next-token')))).toEqual(
			new Set(['2', '3']),
		);
		expect(new Set(paged.map(lengthOf))).toEqual(new Set([1_000]));
	});

	it('for the records of a list in one request', async () => {
		wire.recorder.pages = 3;
		const { first } = await pollsOf();
		const [asked] = first.filter(({ path }) => path.endsWith('/items'));

		expect([asked]).toEqual(await wire.ofReference(records('5001', '5002', '5003')));
	});
});

describe('the manual test of Agent Inventory Trigger asks', () => {
	it('for what was modified or created in the last day, and for the records', async () => {
		await new InventoryHost(bench).test();
		const since = NOW.getTime() - DAY_MS;

		const asked = sent();
		const right = [...lists(since), records('5001')];

		expect(asked).toHaveLength(right.length);
		expect(asked).toEqual(expect.arrayContaining(await wire.ofReference(...right)));
	});
});

const TIMES = ['modified-from', 'modified-to', 'created-from', 'created-to'] as const;

/** The request of the reference client for what this one asks for. */
function asRead(recorded: Recorded) {
	const told = TIMES.map((name) => [name, parameterOf(recorded, name)] as const);
	const asked = told.filter(([, time]) => time !== '');
	const token = parameterOf(recorded, 'next-token');
	return list(parameterOf(recorded, 'archived') === 'true', {
		...Object.fromEntries(asked.map(([name, time]) => [name, new Date(time)])),
		...(token !== '' && { 'next-token': token }),
	});
}

function lengthOf(recorded: Recorded): number {
	const times = TIMES.map((name) => Date.parse(parameterOf(recorded, name)));
	const [from = NaN, to = NaN] = times.filter((time) => !Number.isNaN(time));
	return to - from;
}
