import { describe, expect, it, jest } from '@jest/globals';
import { WorkflowExecute } from 'n8n-core';
import type { IConnections, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { NodeConnectionTypes, Workflow } from 'n8n-workflow';

import { AgentProducts } from '../../../../nodes/AgentProducts/AgentProducts.node';
import * as transport from '../../../../service/http/request';
import * as retry from '../../../../service/http/retry';
import { additionalDataOf, nodeTypesOf } from '../../../lab/engine/engine';
import { outcomesOf, PREMIUM_PATH, type Fault } from '../../../lab/engine/products';
import type { Asked } from '../../../lab/engine/relay';
import { useRelay } from '../../../lab/engine/useBench';
import { useQuickProducts } from '../../../lab/engine/useQuickProducts';
import { listingOf } from '../../../lab/sandbox/products';

const bench = useQuickProducts();

const posts = () => bench.exchanges.filter((exchange) => exchange.startsWith('POST'));

/** Lets the next order of a premium listing fail, or as the fault says. */
function failPost(fault: Partial<Fault> & { kind: Fault['kind'] }): void {
	bench.sandbox.faults.add({ method: 'POST', path: PREMIUM_PATH, ...fault } as Fault);
}

const CONTINUE = { onError: 'continueRegularOutput' } as const;

const UNKNOWN = /^Premium listing for listing 123: It is not known whether it was activated: /;

/** @returns two items, the second of which makes the credential that of another client */
function useTwoClients(): INodeExecutionData[] {
	const other = bench.sandbox.addClient({
		integration: 'products',
		clientId: 'other-client',
		clientSecret: 'other-secret',
	});
	Object.assign(bench.stored, {
		clientId: '={{ $json.clientId }}',
		clientSecret: '={{ $json.clientSecret }}',
	});
	return [bench.sandbox.productsClient, other].map(({ clientId, clientSecret }) => ({
		json: { clientId, clientSecret },
	}));
}

describe('activate', () => {
	it('orders once, waits for the result and tells the outcome', async () => {
		const run = await bench.run();

		expect(run.items).toMatchObject([
			{
				json: {
					id: expect.any(String),
					listingId: 123,
					outcome: 'activated',
					status: { result: 'ACTIVATED' },
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 202', 'GET id 200']);
		expect(bench.credits).toBe(1);
		expect(bench.tokens).toBe(1);
	});

	it('knows weekly featured properties, which have no highlights', async () => {
		bench.sandbox.products.configure({ result: 'SCHEDULED' });

		const run = await bench.run({
			resource: 'weeklyFeaturedProperty',
			options: { highlights: { highlight: [{ id: 1 }] } },
		});

		expect(run.items[0]?.json).toMatchObject({ outcome: 'scheduled', isRenewable: true });
		expect(bench.sandbox.counts.creditsBy).toEqual({ 'weekly-featured-properties': { 123: 1 } });
	});

	it('orders nothing for a listing that has one, by the agency’s own ID too', async () => {
		const id = bench.somebodys(listingOf('OUR-1'), 'SCHEDULED');

		const run = await bench.run({ listingIdType: 'customer', listingId: 'OUR-1' });

		expect(run.items[0]?.json).toMatchObject({ id, outcome: 'alreadyScheduled' });
		expect(bench.exchanges).toEqual(['GET 200']);
	});

	it('orders a listing of several items once, and all of them have the result', async () => {
		const run = await bench.activate([1, '2', 2, ' 2 ']);

		expect(outcomesOf(run)).toEqual(Array(4).fill('activated'));
		expect(new Set(run.items.map(({ json: { id } }) => id)).size).toBe(2);
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3].map((item) => ({ item })),
		);
		expect(bench.credits).toBe(2);
	});

	it('orders a listing once, whichever account the items are for', async () => {
		const run = await bench.run({}, { input: useTwoClients() });

		expect(outcomesOf(run)).toEqual(['activated', 'activated']);
		expect(bench.credits).toBe(1);
	});

	it('ends as pending, without an error, when the result takes too long', async () => {
		jest.mocked(retry.pause).mockRestore();
		bench.sandbox.products.configure({ settleAfterGets: null });

		const run = await bench.run({ options: { waitTimeout: 1 } });

		expect(run.status).toBe('success');
		expect(run.items[0]?.json).toMatchObject({ outcome: 'pending', id: expect.any(String) });
	});

	it('does not take a look that fails for a failed activation', async () => {
		const looks = { method: 'GET', after: 1, times: Infinity };
		bench.sandbox.faults.add({ ...looks, kind: 'status', status: 403 });

		const run = await bench.run({ options: { waitTimeout: 0 } });

		expect(run.items[0]?.json).toMatchObject({ outcome: 'pending', id: expect.any(String) });
	});

	it('takes an order that failed because of another one for that one, and says so', async () => {
		const errors = [{ reason: 'Product already activated', code: 1_021_001 }];
		bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR', errors });

		const run = await bench.run();

		expect(run.items[0]?.json).toEqual({ listingId: 123, outcome: 'alreadyActive' });
		const [own] = bench.sandbox.products.list('premium-listings');
		expect(run.hints.map(({ message }) => message)).toEqual([
			`Premium listing for listing 123 (${own?.shown.id}) was ordered, and failed because the listing had one already. Ask the operator of the service whether a credit was spent.`,
		]);
	});

	it('orders again in another run what has failed in an earlier one', async () => {
		bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR' });
		await bench.run();
		bench.sandbox.products.configure({ result: 'ACTIVATED' });

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(2);
	});
});

describe('an order without a clear answer', () => {
	it('is in doubt, and not sent again by n8n’s “Retry On Fail”, but by another run', async () => {
		failPost({ kind: 'reset' });

		const { items, error } = await bench.run({}, { retryOnFail: { maxTries: 3 } });

		expect(items).toEqual([]);
		expect(error?.message).toMatch(UNKNOWN);
		expect(error?.description).toMatch(/^A credit may have been spent\..*Check with “Get Many”/);
		expect(error?.context.code).toBe('orderUnknown');
		expect(bench.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'GET 200', 'GET 200']);

		expect(outcomesOf(await bench.run())).toEqual(['activated']);
		expect(bench.credits).toBe(1);
	});
});

it('two executions that order one listing at the same moment order it once', async () => {
	failPost({ kind: 'latency', ms: 300 });

	const runs = await Promise.all([bench.run(), bench.run()]);

	expect(runs.flatMap(outcomesOf).sort()).toEqual([
		'activated',
		expect.stringMatching(/^already(Active|Pending)$/),
	]);
	expect(posts()).toEqual(['POST 202']);
});

it('two nodes of one execution order a listing once', async () => {
	const node = (name: string, type: string, parameters: INodeParameters = {}): INode => ({
		...{ id: name, name, type, typeVersion: 1, position: [0, 0], parameters },
		credentials: { agentProductsApi: { id: 'credential', name: '' } },
	});
	const ordering = { resource: 'premiumListing', operation: 'activate', listingId: 123 };
	const names = ['Start', 'First', 'Second'];
	const connections: IConnections = Object.fromEntries(
		names
			.slice(1)
			.map((name, index) => [
				names[index] ?? '',
				{ main: [[{ node: name, type: NodeConnectionTypes.Main, index: 0 }]] },
			]),
	);
	const workflow = new Workflow({
		id: 'workflow',
		nodes: names.map((name) =>
			name === 'Start' ? node(name, 'start') : node(name, 'node', ordering),
		),
		connections,
		active: false,
		nodeTypes: nodeTypesOf(new AgentProducts()),
		settings: { executionOrder: 'v1' },
	});

	const { data } = await new WorkflowExecute(additionalDataOf(bench, workflow), 'manual').run({
		workflow,
		startNode: workflow.getNode('Start') ?? undefined,
		pinData: { Start: [{ json: {} }] },
	});

	const [run] = data.resultData.runData.Second ?? [];
	expect(run?.data?.main?.[0]?.[0]?.json.outcome).toBe('activated');
	expect(posts()).toEqual(['POST 202']);
});

describe('an item that fails', () => {
	it('is one among good ones if the node continues', async () => {
		failPost({ kind: 'status', status: 403, after: 1, times: 2 });

		const run = await bench.activate([1, 2, 3, 2], {}, { onError: 'continueErrorOutput' });

		expect(outcomesOf(run)).toEqual(['activated', 'activated']);
		const message = /^Premium listing for listing 2 was not activated: The service refused access/;
		expect(run.outputs[1]?.map(({ json: { error } }) => error)).toEqual(
			Array(2).fill(expect.stringMatching(message)),
		);
	});

	it('ends the step before another order goes out, and names what was ordered', async () => {
		failPost({ kind: 'status', status: 400, after: 2 });

		const { error } = await bench.activate([1, 2, 3, 4]);

		const ids = bench.sandbox.products.list('premium-listings').map(({ shown }) => shown.id);
		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(error?.description).toContain(
			`Ordered in this run so far: Premium listing for listing 1 (${ids[0]}); Premium listing for listing 2 (${ids[1]}).`,
		);
		expect(bench.credits).toBe(2);
	});

	it('names what is in doubt beside it', async () => {
		failPost({ kind: 'reset' });
		failPost({ kind: 'status', status: 400, after: 1 });

		const run = await bench.activate([1, 2], {}, CONTINUE);

		expect(run.items[1]?.json.message).toContain(
			'Ordered in this run so far: Premium listing for listing 1 (in doubt).',
		);
	});

	it('names the other orders that the service could not carry out: each may have cost a credit', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });

		const { error } = await bench.activate([1, 2]);

		expect(error?.message).toMatch(/listing 1 was ordered, but not activated/);
		expect(error?.description).toMatch(
			/Ordered in this run so far: Premium listing for listing 2 \([-0-9a-f]{36}\)\./,
		);
	});
});

describe('items with listing IDs of both types', () => {
	const input = [
		{ json: { type: 'customer', listing: 'OUR-1' } },
		{ json: { type: 'listing', listing: listingOf('OUR-1') } },
	];
	const given = { listingIdType: '={{ $json.type }}', listingId: '={{ $json.listing }}' };
	const message = '“Listing ID Type” must be the same for all items';

	it('order nothing', async () => {
		const { error } = await bench.run(given, { input });

		expect(error?.message).toBe(message);
		expect(error?.context).toMatchObject({ itemIndex: 1, code: 'field' });
		expect(error?.description).toContain('Nothing was ordered.');
		expect(bench.exchanges).toEqual([]);
	});

	it('order those of the first type if the node continues', async () => {
		const run = await bench.run(given, { input, ...CONTINUE });

		expect(outcomesOf(run)).toEqual(['activated', undefined]);
		expect(run.items[1]?.json.error).toBe(message);
		expect(bench.credits).toBe(1);
	});
});

describe('behind a relay', () => {
	const relay = useRelay(bench);

	it.each<[string, (asked: Asked) => boolean, number]>([
		['the first look orders nothing', ({ isList }) => isList, 0],
		['the look after a lost answer ends', ({ isList, earlier }) => isList && earlier > 0, 1],
	])('an execution that is stopped during %s', async (_, isMeant, credits) => {
		failPost({ kind: 'reset', when: 'after', times: 3 });
		const { run, cancel } = bench.start({ options: { maxTries: 1 } });
		relay.answer(async (asked, pass) => {
			if (isMeant(asked)) cancel();
			return await pass();
		});

		const { items, error } = await run;

		expect(items).toEqual([]);
		expect(error?.message).toMatch(/canceled/);
		expect(bench.credits).toBe(credits);
	});
});

it('an error of n8n itself names what was ordered', async () => {
	const { send } = transport;
	let requests = 0;
	jest.spyOn(transport, 'send').mockImplementation(async (step, request) => {
		if (step === 'data' && ++requests === 3) throw new Error('n8n forbids this domain');
		return await send(step, request);
	});

	const { error } = await bench.activate([123, 124]);

	expect(bench.credits).toBe(1);
	expect(error?.message).toBe('n8n forbids this domain');
	expect(error?.description).toMatch(
		/^Ordered in this run so far: Premium listing for listing 123 \(.+\)\.$/,
	);
});
