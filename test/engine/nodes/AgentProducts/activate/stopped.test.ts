import { describe, expect, it, jest } from '@jest/globals';

import * as transport from '../../../../../service/http/request';
import type { NodeRun } from '../../../../lab/engine/engine';
import type { Asked } from '../../../../lab/engine/relay';
import { json } from '../../../../lab/engine/relay';
import { meanwhile, orders } from '../../../../lab/engine/productAnswers';
import { useRelay } from '../../../../lab/engine/useBench';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();
const relay = useRelay(bench);

describe('an execution that is stopped', () => {
	/** Stops it when such a request comes, which is then answered. */
	const stopAt = async (isMeant: (asked: Asked) => boolean) => {
		const { run, cancel } = bench.start({ options: { maxTries: 1 } });
		relay.answer(async (asked, pass) => {
			if (isMeant(asked)) cancel();
			return await pass();
		});
		return await run;
	};

	const expectStopped = ({ items, error }: NodeRun) => {
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/canceled/);
	};

	it('during the first look orders nothing', async () => {
		expectStopped(await stopAt(({ isList }) => isList));
		expect(bench.credits).toBe(0);
	});

	it('during the order says that it was stopped', async () => {
		expectStopped(await stopAt(({ method }) => method === 'POST'));
		expect(bench.credits).toBeLessThanOrEqual(1);
	});

	it('during the look after a lost answer says that it was stopped', async () => {
		bench.loseAnswers();

		expectStopped(await stopAt(({ isList, earlier }) => isList && earlier > 0));
		expect(bench.credits).toBe(1);
	});

	it.each([
		['reads what a 303 leads to', ({ method, isOfOne }: Asked) => method === 'GET' && isOfOne],
		['looks for what a 303 does not show', ({ isList, earlier }: Asked) => isList && earlier > 0],
	])('while it %s says that it was stopped', async (name, isMeant) => {
		relay.answer(meanwhile(() => bench.somebodys(123, 'ACTIVATED')));
		if (name.includes('does not show')) {
			relay.answer(async ({ method }, pass) => {
				const answer = await pass();
				const refused = { errors: [{ reason: 'Active', code: 1_011_004 }] };
				return method === 'POST' ? json(400, refused) : answer;
			});
		}

		expectStopped(await stopAt(isMeant));
	});

	it('while it looks for what an order failed by says that it was stopped', async () => {
		const errors = [{ reason: 'Product already activated', code: 1_021_001 }];
		relay.answer(
			orders(json(202, { id: 'failed', listingId: 123, status: { result: 'ERROR', errors } })),
		);

		expectStopped(await stopAt(({ isList, earlier }) => isList && earlier > 0));
		expect(relay.asked.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
	});
});

describe('an error of n8n itself', () => {
	const { send } = transport;

	/** n8n does not send this request for data, counted from 1. */
	const forbid = (number: number) => {
		let requests = 0;
		jest.spyOn(transport, 'send').mockImplementation(async (step, request) => {
			if (step === 'data' && ++requests === number) throw new Error('n8n forbids this domain');
			return await send(step, request);
		});
	};

	it.each([
		['the first look', 1, undefined],
		['the reading of what a 303 leads to', 3, undefined],
		['the look after a duplicate’s code', 3, 'refuse' as const],
	])('at %s is told as it is', async (_, number, duplicates) => {
		if (duplicates) bench.sandbox.products.configure({ duplicates });
		relay.answer(meanwhile(() => bench.somebodys(123, 'ACTIVATED')));
		forbid(number);

		const { items, error } = await bench.run();

		expect(items).toEqual([]);
		expect(error?.message).toBe('n8n forbids this domain');
	});

	it.each([
		['the order', 2],
		['the look after a lost answer', 3],
	])('at %s comes with what is known of the credit', async (_, number) => {
		bench.loseAnswers();
		forbid(number);

		const { error } = await bench.run();

		expect(error?.message).toBe(
			'Premium listing for listing 123: It is not known whether it was activated: n8n forbids this domain',
		);
		expect(error?.description).toMatch(/^A credit may have been spent\./);
	});

	it('at the look before the next order names what was ordered', async () => {
		forbid(3);

		const { error } = await bench.activate([123, 124]);

		expect(bench.credits).toBe(1);
		expect(error?.message).toBe('n8n forbids this domain');
		expect(error?.description).toMatch(
			/^Ordered in this run so far: Premium listing for listing 123 \(.+\)\.$/,
		);
	});

	it('at a look for the result is no reason to fail', async () => {
		forbid(5);

		const { items, error } = await bench.activate([123, 124]);

		expect(error).toBeUndefined();
		expect(bench.credits).toBe(2);
		expect(items.map(({ json: { outcome } }) => outcome)).toEqual(['activated', 'activated']);
	});
});
