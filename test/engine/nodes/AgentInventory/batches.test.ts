import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../../../service/basics/values';
import { empty, json } from '../../../lab/engine/relay';
import { AGENCY } from '../../../lab/engine/inventory';
import {
	answering,
	changing,
	get,
	isBatch,
	isOfOneId,
	MISSING,
	outcomesOf,
	problem,
	rows,
	useAgencies,
	wantedItems,
} from './strangeAnswers';

const { bench, relay, ids, getAllOf } = useAgencies();

describe('a batch', () => {
	const wanted = () => ids().slice(0, 12);

	it.each([
		['is cut short', (body: IDataObject) => ({ ...body, items: rows(body).slice(0, 5) })],
		['is {}', () => ({})],
		['is empty but counts', (body: IDataObject) => ({ ...body, items: [] })],
		['has no count and is cut short', (body: IDataObject) => ({ items: rows(body).slice(0, 5) })],
		[
			'holds no IDs',
			(body: IDataObject) => ({ ...body, items: rows(body).map((row) => ({ ...row, id: null })) }),
		],
		[
			'holds each property twice',
			(body: IDataObject) => ({
				...body,
				items: rows(body)
					.slice(0, 6)
					.flatMap((row) => [row, row]),
			}),
		],
		[
			'counts nothing and is cut short',
			(body: IDataObject) => ({ totalCount: 0, items: rows(body).slice(0, 5) }),
		],
		[
			'counts only what it could name',
			(body: IDataObject) => ({
				totalCount: 6,
				items: rows(body).map((row, index) => (index < 6 ? row : { ...row, id: null })),
			}),
		],
		[
			'names its IDs as numbers',
			(body: IDataObject) => ({
				...body,
				items: rows(body).map((row) => ({ ...row, id: Number(row.id) })),
			}),
		],
	])('that %s hides no property', async (_, change) => {
		relay.answer(changing(isBatch, change));

		const run = await getAllOf(wantedItems([...wanted(), '1']));

		expect(outcomesOf(run).map(String)).toEqual([...wanted(), MISSING]);
		expect(relay.asked.length).toBeLessThanOrEqual(16);
	});

	it.each([
		['in the form of the service', problem],
		['bare', empty(404)],
	])('that is answered with 404, %s, hides no property', async (_, answer) => {
		relay.answer(answering(isBatch, answer));

		const run = await getAllOf(wantedItems([...wanted(), '1']));

		expect(outcomesOf(run).map(String)).toEqual([...wanted(), MISSING]);
	});

	it('that counts right costs nothing more for an ID that is not there', async () => {
		await getAllOf(wantedItems([...wanted(), '1']));

		expect(relay.asked).toHaveLength(1);
	});

	it('that leaves a property open, even alone, is not taken for “no such property”', async () => {
		relay.answer(
			changing(
				(asked) => isBatch(asked) || isOfOneId(asked),
				() => ({}),
			),
		);

		const run = await getAllOf(wantedItems(wanted().slice(0, 2)));

		expect(outcomesOf(run)).toEqual(
			Array(2).fill('The service did not say whether this property exists'),
		);
	});

	it('that leaves properties open tells why one could not be asked for again', async () => {
		relay.answer(changing(isBatch, () => ({})));
		relay.answer(answering(isOfOneId, json(403, {})));

		const run = await getAllOf(wantedItems(wanted().slice(0, 2)));

		expect(outcomesOf(run)).toEqual(Array(2).fill(expect.stringMatching(/refused the AgencyRef/)));
	});

	it('that spells IDs in another case is no answer: each is asked for alone', async () => {
		bench.sandbox.inventory.of(AGENCY).forEach((property, index) => {
			property.id = `ab-${index}`;
		});
		const upper = (body: IDataObject) => ({
			...body,
			items: rows(body).map((row) => ({ ...row, id: textOf(row.id).toUpperCase() })),
		});
		relay.answer(changing(isBatch, upper));

		const run = await getAllOf(wantedItems(['ab-3', 'ab-1', 'ab-3']));

		expect(outcomesOf(run)).toEqual(['ab-3', 'ab-1', 'ab-3']);
		expect(relay.asked).toHaveLength(3);
	});

	it('that leaves properties open is not asked about further while the service is down', async () => {
		relay.answer(changing(isBatch, () => ({})));
		relay.answer(answering(isOfOneId, empty(503)));

		const run = await bench.run(
			{ ...get, options: { maxTries: 2 } },
			{ input: wantedItems(wanted()), onError: 'continueRegularOutput' },
		);

		expect(outcomesOf(run)).toEqual(Array(12).fill('The service cannot answer just now (503)'));
		expect(
			relay.asked.map(({ path }) => path).filter((path) => !path.endsWith('/items')),
		).toHaveLength(2);
	});

	it('that spells an ID in two ways does not decide which is meant', async () => {
		const [one] = bench.sandbox.inventory.of(AGENCY);
		if (!one) throw new Error('no properties');
		one.id = 'ab-1';
		const twice = (body: IDataObject) => ({
			totalCount: 2,
			items: rows(body).flatMap((row) => [
				{ ...row, id: 'AB-1' },
				{ ...row, id: 'Ab-1' },
			]),
		});
		relay.answer(changing(isBatch, twice));

		expect(outcomesOf(await getAllOf(wantedItems(['ab-1', '1'])))).toEqual(['ab-1', MISSING]);
	});

	it('tells IDs that differ in case alone apart', async () => {
		const [one, two] = bench.sandbox.inventory.of(AGENCY);
		if (!one || !two) throw new Error('no properties');
		Object.assign(one, { id: 'x1' });
		Object.assign(two, { id: 'X1' });

		const run = await getAllOf(wantedItems(['X1', 'x1']));

		expect(run.items.map(({ json: item }) => item.displayAddress)).toEqual([
			two.displayAddress,
			one.displayAddress,
		]);
	});
});
