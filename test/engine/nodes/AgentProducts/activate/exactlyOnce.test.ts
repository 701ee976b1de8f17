import { describe, expect, it, jest } from '@jest/globals';

import { AgentProducts } from '../../../../../nodes/AgentProducts/AgentProducts.node';
import * as ending from '../../../../../service/http/ending';
import * as retry from '../../../../../service/http/retry';
import { runNode } from '../../../../lab/engine/engine';
import type { FaultKind } from '../../../../lab/engine/products';
import { outcomesOf, ProductsBench } from '../../../../lab/engine/products';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

/** No answer is waited for longer than this, in milliseconds. */
const shortenTimeouts = (ms: number) =>
	jest.spyOn(ending, 'timerMs').mockImplementation((usual) => Math.min(ms, usual));

describe('exactly once', () => {
	it.each<[string, FaultKind, string[]]>([
		[
			'429',
			{ kind: 'status', status: 429 },
			['GET 200', 'POST 429', 'GET 200', 'POST 202', 'GET id 200'],
		],
		[
			'429 with Retry-After',
			{ kind: 'status', status: 429, retryAfter: 1 },
			['GET 200', 'POST 429', 'GET 200', 'POST 202', 'GET id 200'],
		],
		[
			'a reset after',
			{ kind: 'reset', when: 'after' },
			['GET 200', 'POST 0', 'GET 200', 'GET id 200'],
		],
		[
			'500 after',
			{ kind: 'status', status: 500, when: 'after' },
			['GET 200', 'POST 500', 'GET 200', 'GET id 200'],
		],
		[
			'502 with a page after',
			{ kind: 'status', status: 502, body: 'html', when: 'after' },
			['GET 200', 'POST 502', 'GET 200', 'GET id 200'],
		],
		[
			'a page in place of the answer',
			{ kind: 'html', when: 'after' },
			['GET 200', 'POST 200', 'GET 200', 'GET id 200'],
		],
		[
			'a redirect after',
			{ kind: 'status', status: 302, when: 'after' },
			['GET 200', 'POST 302', 'GET 200', 'GET id 200'],
		],
		['an answer cut off', { kind: 'truncate' }, ['GET 200', 'POST 202', 'GET 200', 'GET id 200']],
		['an answer whose JSON stops', { kind: 'cutJson' }, ['GET 200', 'POST 202', 'GET id 200']],
		[
			'an expired token',
			{ kind: 'status', status: 401 },
			['GET 200', 'POST 401', 'POST 202', 'GET id 200'],
		],
		[
			'408',
			{ kind: 'status', status: 408, when: 'after' },
			['GET 200', 'POST 408', 'GET 200', 'GET id 200'],
		],
	])('%s', async (_, fault, exchanges) => {
		bench.failPost(fault);

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.exchanges).toEqual(exchanges);
		expect(bench.credits).toBe(1);
	});

	it('no answer in time, after the service took it', async () => {
		shortenTimeouts(500);
		bench.failPost({ kind: 'hang', when: 'after' });

		const run = await bench.run({ waitForResult: false });

		expect(outcomesOf(run)).toEqual(['pending']);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it.each<[string, FaultKind, string]>([
		['a reset', { kind: 'reset' }, 'POST 0'],
		['500', { kind: 'status', status: 500 }, 'POST 500'],
		['no answer in time', { kind: 'hang' }, 'POST 0'],
	])('%s before the service took it: in doubt, and not sent again', async (_, fault, post) => {
		shortenTimeouts(500);
		bench.failPost(fault);

		const { items, error } = await bench.run({}, { retryOnFail: { maxTries: 3 } });

		expect(items).toEqual([]);
		expect(error?.message).toMatch(
			/^Premium listing for listing 123: It is not known whether it was activated: /,
		);
		expect(error?.description).toMatch(/^A credit may have been spent\..*Check with Get Many/);
		expect(error?.context.code).toBe('orderUnknown');
		expect(bench.exchanges).toEqual(['GET 200', post, 'GET 200', 'GET 200', 'GET 200']);

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});

	it('an order that the service takes long after it was given up', async () => {
		shortenTimeouts(400);
		bench.failPost({ kind: 'hang' });
		jest.mocked(retry.pause).mockImplementation(async (ms) => {
			if (ms === 30_000) bench.somebodys(123);
			await Promise.resolve();
		});

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});

	it('two executions at the same moment', async () => {
		jest.mocked(retry.pause).mockRestore();
		bench.failPost({ kind: 'latency', ms: 300 });

		const runs = await Promise.all([bench.run(), bench.run()]);

		expect(runs.flatMap(outcomesOf).sort()).toEqual(['activated', 'alreadyPending']);
		expect(bench.exchanges.filter((each) => each.startsWith('POST'))).toEqual(['POST 202']);
	});

	it('looks even if there is no further try', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });

		expect(outcomesOf(await bench.run({ options: { maxTries: 1 } }))).toEqual(['activated']);
	});

	it('does not order again what the look shows to have failed', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.sandbox.products.configure({
			settleAfterMs: 0,
			result: 'ERROR',
			errors: [{ reason: 'Not enough images', code: 1_021_004 }],
		});

		const { error } = await bench.run();

		expect(error?.message).toBe(
			'Premium listing for listing 123 was ordered, but not activated: the listing has too few images',
		);
		expect(bench.credits).toBe(1);
	});

	it('does not order again while it cannot look', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.failLooks({ kind: 'status', status: 500, times: Infinity });

		const { error } = await bench.run({ options: { maxTries: 2 } });

		expect(error?.message).toMatch(
			/^Premium listing for listing 123: It is not known whether it was activated: /,
		);
		expect(error?.description).toMatch(/does not order again what the service shows/);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 0', 'GET 500', 'GET 500']);

		bench.sandbox.faults.clear();
		expect(outcomesOf(await bench.run())).toEqual(['alreadyPending']);
		expect(bench.credits).toBe(1);
	});

	it('does not order without a token', async () => {
		bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'reset', times: Infinity });

		const { error } = await bench.run({ options: { maxTries: 2 } });

		expect(error?.description).not.toMatch(/not order again|shows no activation/);
		expect(bench.exchanges).toEqual([]);
	});

	it('orders again after a refused connection, without looking', async () => {
		const { port } = bench.sandbox;
		await bench.sandbox.stop();

		const first = await bench.run({ options: { maxTries: 2, maxWait: 1 } });

		expect(first.error?.message).toBe(
			'Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: The service refused the connection',
		);

		const later = await ProductsBench.start({ port });
		later.sandbox.products.configure({ settleAfterGets: 0 });
		const second = await later.run();

		await later.stop();

		expect(outcomesOf(second)).toEqual(['activated']);
	});

	it('with a clock of the service that is off by minutes', async () => {
		bench.sandbox.advance(-7 * 60_000);
		bench.failPost({ kind: 'reset', when: 'after' });

		expect(outcomesOf(await bench.run())).toEqual(['activated']);

		bench.sandbox.advance(14 * 60_000);
		bench.failPost({ kind: 'reset', when: 'after' });
		expect(outcomesOf(await bench.run({ listingId: 124 }))).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});

	it('goes on where an earlier try of the step stopped, and does not pay for a failure again', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });
		const node = new AgentProducts();
		const parameters = { listingId: '={{ $json.listing }}' };
		const input = [{ json: { listing: 1 } }];
		const test = bench.test(parameters, { node, input, retryOnFail: { maxTries: 3 } });

		const { error } = await runNode(test);

		expect(error?.message).toMatch(/was ordered, but not activated/);
		expect(bench.credits).toBe(1);
		expect(bench.exchanges.filter((exchange) => exchange.startsWith('POST'))).toHaveLength(1);
	});

	it('says of all items what an earlier try did for them', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 1 });

		const run = await bench.activate([1, 2, 3], {}, { retryOnFail: { maxTries: 2 } });

		expect(outcomesOf(run)).toEqual(['activated', 'activated', 'activated']);
		expect(bench.credits).toBe(3);
	});
});
