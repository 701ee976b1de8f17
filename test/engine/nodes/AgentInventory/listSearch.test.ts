import { describe, expect, it } from '@jest/globals';

import { json } from '../../../lab/engine/relay';
import { AGENCY } from '../../../lab/engine/inventory';
import { answering, isList, page, problem, useAgencies, WRONG_ADDRESS } from './strangeAnswers';

const { bench, relay } = useAgencies();

describe('From List', () => {
	it('asks by the address alone, and offers what it finds', async () => {
		const [one] = bench.sandbox.inventory.of(AGENCY);
		const { nameNo, street, town, postcode } = one?.address ?? {};
		const found = await bench.choices(` ${nameNo} ${street} ${postcode} `);

		const choice = found.find(({ value }) => value === one?.id);

		expect(choice?.name).toContain(`${nameNo} ${street}, `);
		expect(choice?.name).toContain(`${town}, ${postcode}`);

		await bench.choices();

		expect(relay.asked.map(({ query }) => [...query.keys()])).toEqual([['address'], []]);
	});

	it('offers only what can be got, and shows the ID where there is no address', async () => {
		const address = { nameNo: null, street: 'Larkmoor Road', town: null };
		const items = [
			{ id: '1', address },
			{ id: '2', address: null },
			{ id: 3, address: {} },
			{ id: null, address },
			{ address },
			{ id: '../4', address },
		];
		relay.answer(answering(isList, json(200, { items })));

		expect(await bench.choices('Lark')).toEqual([
			{ name: 'Larkmoor Road', value: '1' },
			{ name: '2', value: '2' },
			{ name: '3', value: '3' },
		]);
	});

	it.each([
		['a 404', problem],
		['{}', json(200, {})],
		['items: null', json(200, { items: null })],
	])('is empty after %s', async (_, answer) => {
		relay.answer(answering(isList, answer));

		expect(await bench.choices('x')).toEqual([]);
	});

	it('says what is wrong with the address or an option', async () => {
		relay.answer(answering(isList, page));

		await expect(bench.choices('x')).rejects.toThrow(WRONG_ADDRESS);
		await expect(bench.choices('x', { maxTries: 0 })).rejects.toThrow('“Max Tries” must be');
	});
});
