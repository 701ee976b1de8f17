import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IExecuteFunctions, INodeExecutionData, INodeType } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import type { NodeRun } from '../../lab/engine/engine';
import { runNode } from '../../lab/engine/engine';
import { LeadsBench } from '../../lab/engine/leads';
import { useBench } from '../../lab/engine/useBench';

/** Sends with the helper that the HTTP Request node uses for predefined credential types. */
class HttpRequestLike implements INodeType {
	description = {
		displayName: 'HTTP Request Like',
		name: 'httpRequestLike',
		group: ['transform' as const],
		version: 1,
		description: '',
		defaults: { name: 'HTTP Request Like' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'agentLeadsApi', required: true }],
		properties: [{ displayName: 'URI', name: 'uri', type: 'string' as const, default: '' }],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const { uri } = this.getNode().parameters;
		const { helpers } = this;
		const options = { uri: typeof uri === 'string' ? uri : '', json: true };
		const json: unknown = await helpers.requestWithAuthentication.call(
			this,
			'agentLeadsApi',
			options,
		);
		return [[{ json: { answer: JSON.stringify(json) }, pairedItem: { item: 0 } }]];
	}
}

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
});

async function request(): Promise<NodeRun> {
	const uri = `${bench.sandbox.leadsUrl}/applicant-leads`;
	return await runNode({
		node: new HttpRequestLike(),
		credentials: bench.credentials,
		parameters: { uri },
	});
}

const statuses = () => bench.dataRequests.map(({ status }) => status);

describe('the HTTP Request node', () => {
	it('shares the token of Agent Leads', async () => {
		await bench.run();

		expect((await request()).items).toHaveLength(1);
		expect(bench.tokens).toBe(1);
	});

	it('gets a new token before a request is wasted on the old one', async () => {
		bench.sandbox.updateClient(bench.clientId, { tokenLifetime: 600 });
		await request();
		bench.setClock(Date.now() + 601_000);

		expect((await request()).error).toBeUndefined();
		expect(bench.tokens).toBe(2);
		expect(statuses()).toEqual([200, 200]);
	});

	it.each([429, 404, 403, 500])('does not cost a token for each %d', async (status) => {
		bench.sandbox.faults.add({ path: '/applicant-leads', kind: 'status', status, times: Infinity });

		for (let run = 0; run < 6; run++) expect((await request()).error).toBeDefined();
		expect(bench.tokens).toBe(2);
	});
});
