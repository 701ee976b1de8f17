import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import type { Asked } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { AGENCY, OTHER_AGENCY, propertyIdsOf } from '../../../lab/engine/inventory';
import {
	answering,
	get,
	isBatch,
	isList,
	outcomesOf,
	problem,
	useAgencies,
	wantedItems,
} from './strangeAnswers';

const { bench, relay, ids, getAllOf, batches } = useAgencies();

const STATUSES = ['Withdrawn', 'Available', 'Let'];

const ofStatuses: INodeParameters = {
	operation: 'getAll',
	returnAll: true,
	filters: { status: STATUSES },
};

const wholeRecords: INodeParameters = {
	operation: 'getAll',
	returnAll: true,
	options: { wholeRecords: true, agencyRef: '={{ $json.agency }}', maxTries: 2 },
};

const isOfStatus =
	(status: string) =>
	({ query }: Asked): boolean =>
		query.get('inventory-status') === status;

const isOfAgency =
	(agency: string) =>
	({ headers }: Asked): boolean =>
		headers.agencyref === agency;

/** The batch that asks for this property. */
const isBatchWith =
	(id?: string) =>
	(asked: Asked): boolean =>
		isBatch(asked) && asked.query.getAll('inventory-id').includes(id ?? '');

/** Answers none of these requests before so many of them are there. */
function answerTogether(which: (asked: Asked) => boolean, count: number): void {
	const waiting: Array<() => void> = [];
	relay.answer(async (asked, pass) => {
		if (!which(asked)) return await pass();
		const all = new Promise<void>((resolve) => waiting.push(resolve));
		if (waiting.length === count) for (const goOn of waiting) goOn();
		await all;
		return await pass();
	});
}

/** Never answers these requests. @returns when one of them is there */
async function leaveHanging(which: (asked: Asked) => boolean): Promise<void> {
	return await new Promise((resolve) => {
		relay.answer(async (asked, pass) => {
			if (!which(asked)) return await pass();
			resolve();
			return await new Promise<never>(() => {});
		});
	});
}

describe('several statuses', () => {
	const idsOfStatus = (status: string) =>
		bench.sandbox.inventory
			.of(AGENCY)
			.filter(({ inventoryStatus }) => inventoryStatus === status)
			.map(({ id }) => id);

	it('are asked for together to return all, and come in their order', async () => {
		answerTogether(isList, STATUSES.length);

		const run = await bench.run(ofStatuses);

		expect(propertyIdsOf(run)).toEqual(STATUSES.flatMap(idsOfStatus));
		expect(relay.asked).toHaveLength(STATUSES.length);
		expect(bench.tokens).toBe(1);
	});

	it('are asked for one after the other up to a limit, and no further', async () => {
		const limit = idsOfStatus('Withdrawn').length + 1;

		const run = await bench.run({ ...ofStatuses, returnAll: false, limit });

		expect(run.items).toHaveLength(limit);
		expect(relay.asked.map(({ query }) => query.get('inventory-status'))).toEqual([
			'Withdrawn',
			'Available',
		]);
	});

	it('that have no properties are none, and the others come', async () => {
		relay.answer(answering(isOfStatus('Available'), problem));

		const run = await bench.run(ofStatuses);

		expect(propertyIdsOf(run)).toEqual([...idsOfStatus('Withdrawn'), ...idsOfStatus('Let')]);
	});

	it('fail with one of them, even while another one hangs', async () => {
		const hanging = leaveHanging(isOfStatus('Withdrawn'));
		relay.answer(async (asked, pass) => {
			if (!isOfStatus('Let')(asked)) return await pass();
			await hanging;
			return json(403, {});
		});

		const { error, items } = await bench.run(ofStatuses);

		expect(error?.message).toContain('refused the AgencyRef');
		expect(items).toEqual([]);
	});

	it('end with a Stop while one hangs', async () => {
		const hanging = leaveHanging(isOfStatus('Available'));
		const { run, cancel } = bench.start(ofStatuses);
		await hanging;

		cancel();

		expect((await run).items).toEqual([]);
	});
});

describe('the batches of whole records', () => {
	const ofBoth = wantedItems([1, 2]).map((item, index) => ({
		json: { ...item.json, agency: [AGENCY, OTHER_AGENCY][index] },
	}));

	it('are asked for together, and come in the order of the list', async () => {
		answerTogether(isBatch, 4);

		const run = await bench.run(wholeRecords, { input: ofBoth.slice(0, 1) });

		expect(propertyIdsOf(run)).toEqual(ids());
		expect(batches()).toBe(4);
	});

	it('fail their input item as a whole if one of them keeps failing: no row without a price stands in', async () => {
		const third = isBatchWith(ids()[120]);
		relay.answer(answering((asked) => isOfAgency(AGENCY)(asked) && third(asked), json(503, {})));

		const run = await bench.run(wholeRecords, {
			input: ofBoth,
			onError: 'continueRegularOutput',
		});

		const [failed, ...others] = run.items;
		expect(failed?.json.error).toContain('cannot answer just now (503)');
		expect(failed?.pairedItem).toEqual({ item: 0 });
		expect(others.map(({ json: { id } }) => id)).toEqual(ids(OTHER_AGENCY));
		expect(others[0]?.json.price).toEqual(expect.any(Number));
	});

	it('fail with one of them, even while another one hangs', async () => {
		const hanging = leaveHanging(isBatchWith(ids()[0]));
		relay.answer(async (asked, pass) => {
			if (!isBatchWith(ids()[120])(asked)) return await pass();
			await hanging;
			return json(403, {});
		});

		const { error } = await bench.run(wholeRecords, { input: ofBoth.slice(0, 1) });

		expect(error?.message).toContain('refused the AgencyRef');
	});
});

describe('the batches of many IDs', () => {
	it('are asked for together with one token, and each property goes back to its item', async () => {
		answerTogether(isBatch, 3);
		const wanted = ids().slice(0, 120).reverse();

		const run = await getAllOf(wantedItems(wanted, AGENCY));

		expect(outcomesOf(run)).toEqual(wanted);
		expect(batches()).toBe(3);
		expect(bench.tokens).toBe(1);
	});

	it('fail alone: the items of the others have their properties', async () => {
		const wanted = ids().slice(0, 120);
		relay.answer(answering(isBatchWith(wanted[60]), json(403, {})));

		const outcomes = outcomesOf(await getAllOf(wantedItems(wanted, AGENCY)));

		expect(outcomes.slice(0, 50)).toEqual(wanted.slice(0, 50));
		expect(outcomes.slice(50, 100)).toEqual(
			Array(50).fill(expect.stringContaining('refused the AgencyRef')),
		);
		expect(outcomes.slice(100)).toEqual(wanted.slice(100));
	});

	it('end with a Stop while one hangs', async () => {
		const input = wantedItems(ids().slice(0, 120), AGENCY);
		const hanging = leaveHanging(isBatchWith(ids()[60]));
		const { run, cancel } = bench.start(get, { input });
		await hanging;

		cancel();

		expect((await run).items).toEqual([]);
	});
});

describe('several input items', () => {
	const AGENCIES = [AGENCY, OTHER_AGENCY, AGENCY];
	const input = AGENCIES.map((agency) => ({ json: { agency } }));
	const lists: INodeParameters[] = [
		{ operation: 'getAll', returnAll: true },
		{ operation: 'search', searchBy: 'text', query: 'a', returnAll: true },
		{ resource: 'branch', operation: 'getAll', returnAll: true },
		{ resource: 'negotiator', operation: 'getAll', returnAll: true },
	];
	const options = { agencyRef: '={{ $json.agency }}' };

	it.each(lists)('of %j are asked for together, and put out in their order', async (list) => {
		const alone = await bench.run({ ...list, options: { agencyRef: AGENCY } });
		answerTogether(() => true, AGENCIES.length);

		const run = await bench.run({ ...list, options }, { input });

		const ofItem = (item: number) =>
			run.items.filter(({ pairedItem }) => (pairedItem as { item: number }).item === item);

		expect(alone.items.length).toBeGreaterThan(0);
		expect(ofItem(0).map(({ json: each }) => each)).toEqual(
			alone.items.map(({ json: each }) => each),
		);
		expect(ofItem(2)).toHaveLength(alone.items.length);
		expect(run.items).toEqual([...ofItem(0), ...ofItem(1), ...ofItem(2)]);
		expect(bench.tokens).toBe(1);
	});

	it('fail with one of them, even while another one hangs', async () => {
		const hanging = leaveHanging(isOfAgency(AGENCY));
		relay.answer(async (asked, pass) => {
			if (!isOfAgency(OTHER_AGENCY)(asked)) return await pass();
			await hanging;
			return json(403, {});
		});

		const { error } = await bench.run({ operation: 'getAll', options }, { input });

		expect(error?.message).toContain('refused the AgencyRef');
	});
});
