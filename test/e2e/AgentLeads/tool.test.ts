import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { send, type WorkflowJson } from '../../lab/n8n';
import { asTool, fromModel } from '../../lab/n8n/aiAgent';
import { agentLeads, HOUR, NODE } from '../../lab/n8n/stage';
import { useStage } from '../../lab/n8n/stage/useStage';
import { Agencies, type Agency } from './agencies';

const stage = useStage();

const agencies = new Agencies(stage);

describe('as a tool of an AI agent', () => {
	it('the editor offers it', async () => {
		const tool = (await stage.n8n.nodeTypes()).find(
			({ name }) => name === 'n8n-nodes-agent-integration.agentLeadsTool',
		);

		expect(tool).toMatchObject({ inputs: [], outputs: ['ai_tool'] });
		expect(tool?.credentials).toMatchObject([{ name: 'agentLeadsApi' }]);
		expect(tool?.properties.map(({ name }) => name)).not.toContain('descriptionType');
	});

	it('a call of the tool, as a model makes it, gives the leads', async () => {
		const here = agencies.add();
		const now = Date.now();
		agencies.addLead(here, 'two hours ago', now - 2 * HOUR);
		agencies.addLead(here, 'four hours ago', now - 4 * HOUR);
		const url = await toolServer(here);

		const tools = await ask(url, 'tools/list');

		expect(tools).toMatchObject({ tools: [{ name: 'Agent_Leads' }] });
		expect(JSON.stringify(tools)).toContain('The hours');
		expect(JSON.stringify(tools)).toContain('Gets the newest enquiries from people');

		const called = await ask(url, 'tools/call', {
			name: 'Agent_Leads',
			arguments: { hours: 3 },
		});

		expect(JSON.stringify(called)).toContain('two hours ago');
		expect(JSON.stringify(called)).not.toContain('four hours ago');

		const { from, to } = agencies.spanOf(here.client);

		expect(to - from).toBe(3 * HOUR);
	});

	it('a call with a wrong parameter is answered with what is right, once', async () => {
		const url = await toolServer(agencies.add());

		const called = JSON.stringify(
			await ask(url, 'tools/call', { name: 'Agent_Leads', arguments: { hours: -3 } }),
		);

		expect(called).toContain('“Amount” must be a whole number of at least 1. It is -3.');
		expect(called.match(/Change it/g)).toHaveLength(1);
	});

	/** n8n's own server for tools: it calls a tool just as an agent does, without a model to choose it. */
	async function toolServer({ client }: Agency): Promise<string> {
		const path = randomUUID();
		const node = agentLeads(await stage.saveCredential(client), {
			period: 'recent',
			recentAmount: fromModel('hours', 'number'),
			recentUnit: 'hours',
		});
		const workflow: WorkflowJson = {
			name: 'Tool server',
			nodes: [
				{
					id: randomUUID(),
					name: 'Server',
					type: '@n8n/n8n-nodes-langchain.mcpTrigger',
					typeVersion: 2,
					webhookId: path,
					position: [0, 0],
					parameters: { path, authentication: 'none' },
				},
				asTool(node),
			],
			connections: { [NODE]: { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] } },
		};
		await stage.n8n.activate(await stage.save(workflow));
		return `${stage.n8n.url}/mcp/${path}`;
	}

	/** One call of the server (JSON-RPC), in a session of its own. */
	async function ask(url: string, method: string, params: object = {}): Promise<unknown> {
		const accept = 'application/json, text/event-stream';
		const message = { jsonrpc: '2.0', id: 1 };
		const opened = await send(url, {
			method: 'POST',
			headers: { accept },
			body: {
				...message,
				method: 'initialize',
				params: {
					protocolVersion: '2025-03-26',
					capabilities: {},
					clientInfo: { name: 'test', version: '1' },
				},
			},
		});
		const session = { accept, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
		const answer = await send(url, {
			method: 'POST',
			headers: session,
			body: { ...message, method, params },
		});
		const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
		return (JSON.parse(data) as { result: unknown }).result;
	}
});
