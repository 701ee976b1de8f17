import { describe, expect, it } from '@jest/globals';
import { WorkflowExecute } from 'n8n-core';
import type { IConnections, INode } from 'n8n-workflow';
import { NodeConnectionTypes, Workflow } from 'n8n-workflow';

import { AgentProducts } from '../../../../../nodes/AgentProducts/AgentProducts.node';
import { additionalDataOf, nodeTypesOf } from '../../../../lab/engine/engine';
import { outcomesOf } from '../../../../lab/engine/products';
import { useQuickProducts } from '../../../../lab/engine/useQuickProducts';

const bench = useQuickProducts();

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

		expect(error?.message).toMatch(
			/^Premium listing for listing 123 was ordered, but not activated: /,
		);
		expect(bench.exchanges).toEqual(['GET 200', 'POST 0', 'GET 200', 'GET 200']);
		expect(bench.credits).toBe(1);
	});

	it('does not say that nothing was sent if the try before has sent an order', async () => {
		bench.failPost({ kind: 'status', status: 400 });
		bench.sandbox.faults.add({ method: 'GET', kind: 'html', after: 1 });

		const { error } = await bench.run(
			{ options: { maxTries: 1 } },
			{ retryOnFail: { maxTries: 2 } },
		);

		expect(bench.exchanges).toEqual(['GET 200', 'POST 400', 'GET 200']);
		expect(error?.message).toBe(
			'Premium listing for listing 123: Nothing was ordered, because the listing could not be checked first: The service answered with a web page instead of data',
		);
		expect(error?.description).not.toContain('No order was sent');
		expect(error?.description).toContain('The service did not accept the order.');
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

	it('are the rounds of a loop: what has failed is not ordered again in the same execution', async () => {
		bench.sandbox.products.configure({ result: 'ERROR' });

		const outcomes = await loop();

		expect(outcomes('Node')).toEqual(
			Array(3).fill(expect.stringMatching(/was ordered, but not activated/)),
		);
		expect(bench.credits).toBe(1);
	});

	it('are the rounds of a loop: what is in doubt is not ordered again in the same execution', async () => {
		bench.failPost({ kind: 'reset' });

		const outcomes = await loop();

		expect(outcomes('Node')).toEqual(
			Array(3).fill(expect.stringMatching(/It is not known whether/)),
		);
		expect(bench.exchanges.filter((each) => each.startsWith('POST'))).toEqual(['POST 0']);
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
