import { describe, expect, it } from '@jest/globals';

import { empty, json } from '../../../lab/engine/relay';
import {
	answering,
	gateway,
	isBatch,
	isOfOneId,
	MISSING,
	outcomesOf,
	page,
	problem,
	text,
	useAgencies,
	wantedItems,
	WRONG_ADDRESS,
} from './strangeAnswers';

const { relay, ids, getAllOf, batches } = useAgencies();

describe('a 404 to properties by their IDs', () => {
	it.each([
		['the service’s problem', problem],
		['no body', empty(404)],
		['other words', gateway],
		['text', text],
	])('with %s means that there is no such property', async (_, answer) => {
		relay.answer(answering(isOfOneId, answer));

		expect(outcomesOf(await getAllOf(wantedItems(['5001'])))).toEqual([MISSING]);
	});

	it('with a web page is about the address, and none is asked for alone', async () => {
		relay.answer(answering(({ path }) => path.includes('/inventory/'), page));

		expect(outcomesOf(await getAllOf(wantedItems(['5001'])))).toEqual([WRONG_ADDRESS]);
		expect(outcomesOf(await getAllOf(wantedItems(['1', '2', '3', '4'])))).toEqual(
			Array(4).fill(WRONG_ADDRESS),
		);
		expect(batches()).toBe(1);
	});

	it.each([
		['the service’s problem', problem],
		['no body', empty(404)],
	])('with %s for a batch is the error of the one that is not there', async (_, answer) => {
		const wanted = ids().slice(0, 20);
		relay.answer(
			answering(
				(asked) => isBatch(asked) && asked.query.getAll('inventory-id').includes('1'),
				answer,
			),
		);

		const run = await getAllOf(wantedItems([...wanted.slice(0, 7), '1', ...wanted.slice(7)]));

		expect(outcomesOf(run)).toEqual([...wanted.slice(0, 7), MISSING, ...wanted.slice(7)]);
		expect(batches()).toBeLessThan(12);
	});
});

describe('an answer where a record is expected', () => {
	it.each([
		['{ status }', { status: 'ok' }, 'The service answered without the record of a property'],
		[
			'a list',
			{ items: [{ id: '5001' }] },
			'The service answered without the record of a property',
		],
		['{}', {}, 'The service did not say whether this property exists'],
	])('%s is no property', async (_, body, message) => {
		relay.answer(answering(isOfOneId, json(200, body)));

		expect(outcomesOf(await getAllOf(wantedItems(['5001'])))).toEqual([message]);
	});

	it('may lack most of its fields, and gets the ID that was asked for', async () => {
		relay.answer(answering(isOfOneId, json(200, { category: null, price: 1 })));

		const run = await getAllOf(wantedItems(['5001']));

		expect(run.items.map(({ json: item }) => item)).toEqual([
			{ category: null, price: 1, id: '5001' },
		]);
	});
});
