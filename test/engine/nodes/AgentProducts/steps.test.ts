import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WorkflowExecute } from 'n8n-core';
import type { IConnections, INode, INodeParameters } from 'n8n-workflow';
import { NodeConnectionTypes, Workflow } from 'n8n-workflow';

import { AgentProducts } from '../../../../nodes/AgentProducts/AgentProducts.node';
import * as retry from '../../../../service/http/retry';
import { SCOPE } from '../../../lab/sandbox/clients';
import { shortenBackoff } from '../../../lab/engine/bench';
import { additionalDataOf, nodeTypesOf } from '../../../lab/engine/engine';
import { outcomesOf, ProductsBench } from '../../../lab/engine/products';

let bench: ProductsBench;

beforeEach(async () => {
	shortenBackoff();
	bench = await ProductsBench.start();
	bench.sandbox.products.configure({ settleAfterGets: 0 });
	jest.spyOn(retry, 'pause').mockResolvedValue();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await bench.stop();
});

describe('what is refused before any request', () => {
	const highlight = (row: INodeParameters) => ({ highlights: { highlight: [row] } });

	it.each<[string, INodeParameters, RegExp]>([
		['details that are a date', { customDetails: '={{ new Date() }}' }, /is not a JSON object$/],
		['details that are a moment', { customDetails: '={{ $now }}' }, /is not a JSON object$/],
		['details that are a number', { customDetails: '={{ 5 }}' }, /is not a JSON object$/],
		['a listing of 0', { listingId: 0 }, /^“Listing ID” is not a whole number$/],
		['a listing in hexadecimal', { listingId: '0x10' }, /^“Listing ID” is not a whole number$/],
		[
			'a listing that is true',
			{ listingId: '={{ true }}' },
			/^“Listing ID” is not a whole number$/,
		],
		['another type of ID', { listingIdType: 'both' }, /^“Listing ID Type” is unknown$/],
		[
			'a highlight in hexadecimal',
			highlight({ id: '0x10' }),
			/^“Highlight ID” is not a whole number$/,
		],
		[
			'a highlight without an ID, as a new row has it',
			highlight({ description: 'Garden' }),
			/^“Highlight ID” is empty$/,
		],
		['a highlight with an empty ID', highlight({ id: '' }), /^“Highlight ID” is empty$/],
		[
			'a highlight whose ID comes from nothing',
			highlight({ id: '={{ $json.none }}' }),
			/^“Highlight ID” is empty$/,
		],
		[
			'a new highlight of a change',
			{
				operation: 'updateHighlights',
				activationId: '4f7a2c1e-0000-4000-8000-000000000001',
				...highlight({}),
			},
			/^“Highlight ID” is empty$/,
		],
		[
			'a highlight described by an object',
			highlight({ id: 1, description: '={{ ({ text: "Garden" }) }}' }),
			/^“Highlight Description” is not text$/,
		],
		['a wait of maybe', { waitForResult: '={{ "maybe" }}' }, /^“Wait for Result” is neither true/],
		[
			'a start after the end',
			{
				operation: 'getAll',
				filters: { createdFrom: '2026-01-02T00:00:00', createdTo: '2026-01-01T00:00:00' },
			},
			/^“Created From” lies after “Created To”$/,
		],
		[
			'a filter by a listing of 0',
			{ operation: 'getAll', filters: { listingId: 0 } },
			/^“Listing ID” is not a whole number$/,
		],
	])('%s', async (_, parameters, message) => {
		const { error } = await bench.run(parameters);
		expect(error?.message).toMatch(message);
		expect(error?.description).toMatch(/./);
		expect(bench.sandbox.requests).toEqual([]);
	});

	it.each([
		['activate', { listingId: 'OUR-1' }, /set “Listing ID Type” to “Customer’s Listing ID”/],
		['getAll', { filters: { listingId: 'OUR-1' } }, /use the filter “Customer Listing ID”/],
	])('an ID of the agency’s own: %s says where it belongs', async (operation, given, advice) => {
		const { error } = await bench.run({ operation, ...given });
		expect(error?.message).toBe('“Listing ID” is not a whole number');
		expect(error?.description).toMatch(advice);
		expect(error?.description?.includes('Listing ID Type')).toBe(operation === 'activate');
	});

	it.each([
		['true', 'activated', ['GET 200', 'POST 202', 'GET id 200']],
		['false', 'pending', ['GET 200', 'POST 202']],
	])('not the text “%s” for Wait for Result', async (text, outcome, exchanges) => {
		const run = await bench.run({ waitForResult: `={{ "${text}" }}` });
		expect(outcomesOf(run)).toEqual([outcome]);
		expect(bench.exchanges).toEqual(exchanges);
	});
});

describe('tokens', () => {
	it('that are revoked with 403 are replaced each time', async () => {
		bench.sandbox.updateClient(bench.clientId, { rejectTokenWith: 403 });
		await bench.run({ listingId: 9, waitForResult: false });
		for (const listings of [
			[1, 2, 3],
			[4, 5, 6],
		]) {
			bench.sandbox.revokeTokens(bench.clientId);
			const run = await bench.activate(listings, { waitForResult: false });
			expect(outcomesOf(run)).toEqual(['pending', 'pending', 'pending']);
		}
		expect(bench.credits).toBe(7);
		expect(bench.tokens).toBe(3);
	});

	it('that are revoked are found out once, for all items', async () => {
		await bench.run({ listingId: 9, waitForResult: false });
		bench.sandbox.revokeTokens(bench.clientId);
		await bench.activate([1, 2, 3, 4, 5, 6], { waitForResult: false });
		expect(bench.exchanges.slice(2)).toEqual([
			'GET 401',
			...Array<string[]>(6).fill(['GET 200', 'POST 202']).flat(),
		]);
		expect(bench.tokens).toBe(2);
	});
});

describe('several items', () => {
	it('of a listing that fails all have the error', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });
		const run = await bench.activate([5, 5], {}, { onError: 'continueRegularOutput' });
		const error = expect.stringMatching(/^Premium listing of listing 5 was not activated: /);
		expect(run.items).toMatchObject([
			{ json: { error }, pairedItem: { item: 0 } },
			{ json: { error }, pairedItem: { item: 1 } },
		]);
		expect(bench.credits).toBe(1);
	});

	it('of a listing that is refused all have the error', async () => {
		bench.failPost({ kind: 'status', status: 400, times: Infinity });
		const run = await bench.activate([5, 5], {}, { onError: 'continueRegularOutput' });
		expect(run.items.map(({ json }) => json.error)).toEqual(
			Array(2).fill('Premium listing of listing 5: The service refused the request (400)'),
		);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 400']);
	});

	it('that are paid for are named by the error that ends the step', async () => {
		bench.failPost({ kind: 'status', status: 400, after: 2 });
		const { error } = await bench.activate([1, 2, 3]);
		const ids = bench.sandbox.products.list('premium-listings').map(({ shown }) => shown.id);
		expect(error?.context).toMatchObject({ itemIndex: 2 });
		expect(error?.description).toContain(
			`Ordered before that in this step: Premium listing of listing 1 (${ids[0]}); Premium listing of listing 2 (${ids[1]}). They are not ordered again.`,
		);
	});

	it('of one listing are looked at for each of the accounts', async () => {
		const other = bench.sandbox.addClient({
			integration: 'products',
			clientId: 'other-client',
			clientSecret: 'other-secret',
			scope: SCOPE,
		});
		const clients = [bench.sandbox.productsClient, other];
		const input = clients.map(({ clientId, clientSecret }) => ({
			json: { clientId, clientSecret },
		}));
		Object.assign(bench.stored, {
			clientId: '={{ $json.clientId }}',
			clientSecret: '={{ $json.clientSecret }}',
		});
		const run = await bench.run({}, { input });
		expect(outcomesOf(run)).toEqual(['activated', 'alreadyPending']);
		const lists = bench.productRequests.filter(({ query }) => 'listingId' in query);
		expect(lists.map(({ clientId }) => clientId)).toEqual(['products-client', 'other-client']);
		expect(bench.credits).toBe(1);
	});
});

describe('n8n’s “Retry On Fail”', () => {
	it('does not make its own what was there before', async () => {
		await bench.run({ listingId: 1 });
		bench.failPost({ kind: 'status', status: 400, after: 1 });
		const run = await bench.activate([1, 2], {}, { retryOnFail: { maxTries: 2 } });
		expect(outcomesOf(run)).toEqual(['alreadyActive', 'activated']);
		expect(bench.credits).toBe(2);
	});

	it('knows what the try before has sent without an answer', async () => {
		bench.failPost({ kind: 'reset', when: 'after' });
		bench.sandbox.products.configure({ settleAfterMs: 0, result: 'ERROR' });
		bench.sandbox.faults.add({ method: 'GET', kind: 'html', after: 1 });
		const { error } = await bench.run(
			{ options: { maxTries: 1 } },
			{ retryOnFail: { maxTries: 2 } },
		);
		expect(error?.message).toMatch(/^Premium listing of listing 123 was not activated: /);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'GET 200']);
		expect(bench.credits).toBe(1);
	});
});

describe('steps of one execution', () => {
	const START = 'Start';

	const startNamed = (name: string): INode => ({
		id: name,
		name,
		type: 'start',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	});

	const activates = (name: string): INode => ({
		id: name,
		name,
		type: 'node',
		typeVersion: 1,
		position: [0, 0],
		parameters: { resource: 'premiumListing', operation: 'activate', listingId: 123 },
		onError: 'continueRegularOutput',
		credentials: { agentProductsApi: { id: 'credential', name: '' } },
	});

	/**
	 * Runs the nodes from the first one on; each of them is followed by those that are named.
	 *
	 * @returns by node and run: the outcome, or the error
	 */
	async function execute(nodes: INode[], followers: Record<string, string[]>) {
		const connections: IConnections = Object.fromEntries(
			Object.entries(followers).map(([name, next]) => [
				name,
				{ main: [next.map((node) => ({ node, type: NodeConnectionTypes.Main, index: 0 }))] },
			]),
		);
		const workflow = new Workflow({
			id: 'workflow',
			nodes,
			connections,
			active: false,
			nodeTypes: nodeTypesOf(new AgentProducts()),
			settings: { executionOrder: 'v1' },
		});
		const run = await new WorkflowExecute(additionalDataOf(bench, workflow), 'manual').run({
			workflow,
			startNode: workflow.getNode(START) ?? undefined,
			pinData: { [START]: [{ json: {} }] },
		});
		return (name: string) =>
			run.data.resultData.runData[name]?.map(({ data }) => {
				const [item] = data?.main?.[0] ?? [];
				return item?.json.outcome ?? item?.json.error;
			});
	}

	const ROUNDS = ['Round 1', 'Round 2', 'Round 3'];

	/** The same node, run three times in one execution. */
	const loop = async () => {
		const followers: Record<string, string[]> = { [START]: ROUNDS };
		for (const round of ROUNDS) followers[round] = ['Node'];
		return await execute(
			[startNamed(START), ...ROUNDS.map(startNamed), activates('Node')],
			followers,
		);
	};

	it('are the rounds of a loop', async () => {
		const outcomes = await loop();
		expect(outcomes('Node')).toEqual(['activated', 'alreadyActive', 'alreadyActive']);
		expect(bench.credits).toBe(1);
	});

	it('are the rounds of a loop: what has failed may be ordered again', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });
		const outcomes = await loop();
		expect(outcomes('Node')).toEqual(Array(3).fill(expect.stringMatching(/was not activated/)));
		expect(bench.credits).toBe(3);
	});

	it('are two nodes', async () => {
		const outcomes = await execute([startNamed(START), activates('First'), activates('Second')], {
			[START]: ['First'],
			First: ['Second'],
		});
		expect([outcomes('First'), outcomes('Second')]).toEqual([['activated'], ['alreadyActive']]);
		expect(bench.credits).toBe(1);
	});
});
