import { describe, expect, it, jest } from '@jest/globals';

import * as retry from '../../../../../service/http/retry';
import { empty } from '../../../../lab/engine/relay';
import { looks, page } from '../../../../lab/engine/productAnswers';
import { outcomesOf } from '../../../../lab/engine/products';
import { useRelay } from '../../../../lab/engine/useBench';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';
import { MINUTE } from '../../../../lab/times';

const bench = useQuickProducts();

describe('a result that is waited for', () => {
	it('ends as pending, without an error, when the result takes too long', async () => {
		jest.mocked(retry.pause).mockRestore();
		bench.sandbox.products.configure({ settleAfterGets: null });

		const run = await bench.run({ options: { waitTimeout: 1 } });

		expect(run.status).toBe('success');
		expect(run.items[0]?.json).toMatchObject({ outcome: 'pending', id: expect.any(String) });
		expect(bench.credits).toBe(1);
	});

	it('looks with growing pauses, and no later than the timeout', async () => {
		bench.sandbox.products.configure({ settleAfterGets: 7 });

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		const pauses = jest.mocked(retry.pause).mock.calls;
		// What keeps the next order for the listing back ends with no execution, and has no signal.
		expect(pauses.filter(([, signal]) => signal).map(([ms]) => ms)).toEqual([
			500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000,
		]);
	});

	it('waits for all listings together', async () => {
		const run = await bench.activate([1, 2, 3, 4, 5, 6]);

		expect(outcomesOf(run)).toEqual(Array(6).fill('activated'));
		expect(bench.exchanges).toEqual([
			...Array<string[]>(6).fill(['GET 200', 'POST 202']).flat(),
			...Array<string>(6).fill('GET id 200'),
		]);
	});

	it('does not take a look that fails for a failed activation', async () => {
		bench.failLooks({ kind: 'status', status: 403, times: Infinity });

		const run = await bench.run();

		expect(run.items[0]?.json).toMatchObject({ outcome: 'pending', id: expect.any(String) });
		expect(run.hints[0]?.message).toMatch(/listing 123 was ordered, but its result could not be/);
	});

	it('waits through looks that fail for a while', async () => {
		bench.failLooks({ kind: 'reset', times: 3 });

		expect(outcomesOf(await bench.run({ options: { maxTries: 1 } }))).toEqual(['activated']);
	});
});

describe('looks at what was ordered', () => {
	const relay = useRelay(bench);

	it.each([
		['there is nothing yet', empty(404)],
		['a page comes in place of it', page],
		['the service cannot answer', empty(500)],
	])('go on if %s', async (_, answer) => {
		relay.answer(looks(answer, 1));

		const run = await bench.run({ options: { maxTries: 1 } });

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(run.hints).toEqual([]);
		expect(relay.exchanges).toEqual([
			'GET 200',
			'POST 202',
			`GET id ${answer.status}`,
			'GET id 200',
		]);
	});

	it('end if the service asks for more patience than there is', async () => {
		relay.answer(looks(empty(429, { 'retry-after': '9999' })));

		const run = await bench.run({ options: { waitTimeout: 1 } });

		expect(run.status).toBe('success');
		expect(outcomesOf(run)).toEqual(['pending']);
		expect(run.hints[0]?.message).toMatch(/was ordered, but its result could not be read/);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 429']);
	});

	it('are taken once without a timeout, and have time to be answered', async () => {
		relay.answer(async ({ method }, pass) => {
			if (method === 'GET') await new Promise((resolve) => setTimeout(resolve, 100));
			return await pass();
		});

		const run = await bench.run({ options: { waitTimeout: 0 } });

		expect(outcomesOf(run)).toEqual(['activated']);
		expect(relay.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
	});

	it('have the whole timeout, however long the orders took', async () => {
		bench.setClock(Date.now());
		bench.sandbox.products.configure({ settleAfterGets: 2 });
		relay.answer(async ({ method }, pass) => {
			const answer = await pass();
			if (method === 'POST') bench.setClock(Date.now() + MINUTE);
			return answer;
		});

		const run = await bench.activate([1, 2, 3], { options: { waitTimeout: 30 } });

		expect(outcomesOf(run)).toEqual(['activated', 'activated', 'activated']);
	});
});
