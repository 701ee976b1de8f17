import { describe, expect, it } from '@jest/globals';
import { TriggerContext } from 'n8n-core';
import type { IConnections, INode, INodeTypes, WorkflowActivateMode } from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers, NodeOperationError, Workflow } from 'n8n-workflow';

import { AgentLeadsTrigger } from '../../../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node';
import { publishedNode } from '../../../lab/engine/engine';
import { LeadsBench } from '../../../lab/engine/leads';
import { holdsMessages, seenIn, used } from '../../../lab/engine/messages';

const type = new AgentLeadsTrigger();
const nodeTypes: INodeTypes = {
	getByName: () => type,
	getByNameAndVersion: () => NodeHelpers.getVersionedNodeType(type),
	getKnownTypes: () => ({}),
};

let workflows = 0;

/**
 * What is reported as a failed execution while a workflow is published.
 *
 * @param ways the node types after the trigger, in each way that a lead can take; one in brackets is deactivated
 */
async function reported(ways: string[][], mode: WorkflowActivateMode = 'activate') {
	return await used(LeadsBench.start(), async (bench) => {
		const id = `nothing-sent-${++workflows}`;
		const named = { id: 'trigger', name: 'Trigger', parameters: {} };
		const { node, additionalData } = publishedNode(type, named, { ...bench, workflowId: id });
		const behind = [...new Set(ways.flat())].map((name): INode => {
			const disabled = name.startsWith('[');
			const itsType = `n8n-nodes-base.${name.replace(/\W/g, '')}`;
			const place: Pick<INode, 'position' | 'parameters'> = { position: [0, 0], parameters: {} };
			return { ...place, id: name, name, type: itsType, typeVersion: 1, disabled };
		});
		const connections: IConnections = {};
		for (const way of ways) {
			['Trigger', ...way].slice(0, -1).forEach((name, index) => {
				const to = { node: way[index] ?? '', type: NodeConnectionTypes.Main, index: 0 };
				connections[name] ??= { main: [[]] };
				connections[name].main?.[0]?.push(to);
			});
		}
		const nodes = [node, ...behind];
		const workflow = new Workflow({ id, nodes, connections, active: true, nodeTypes });
		const errors: Error[] = [];
		const emit = (...[]: [unknown, unknown?, unknown?, unknown?]) => {};
		Object.defineProperty(emit, 'length', { value: 4 });
		const context = new TriggerContext(
			...([workflow, node, additionalData, 'trigger', mode, emit, emit] as const),
			(error) => errors.push(error),
		);
		await type.trigger.call(context);
		// With durable cursors n8n starts a trigger twice as it publishes.
		await type.trigger.call(context);
		return errors;
	});
}

describe('a published workflow that sends nothing', () => {
	holdsMessages([
		[
			'The workflow is published and sends nothing: … is deactivated',
			async () => {
				const [error] = await reported([['set', '[httpRequest]']]);
				return error instanceof NodeOperationError ? seenIn(error) : undefined;
			},
		],
	]);

	it.each<[string, string[][], WorkflowActivateMode?]>([
		['the only node is deactivated', [['[httpRequest]']], 'update'],
		['each way ends in one', [['switch', '[httpRequest]'], ['switch', '[emailSend]'], ['switch']]],
		['the way goes on to where nothing is sent', [['[httpRequest]', 'set', 'noOp']]],
		['the one in a loop is deactivated', [['splitInBatches', '[emailSend]', 'splitInBatches']]],
	])('is reported once: %s', async (_, ways, mode = 'activate') => {
		const message = expect.stringMatching(/: “\[(httpRequest|emailSend)\]”/);
		expect(await reported(ways, mode)).toMatchObject([{ message }]);
	});

	it.each<[string, string[][], WorkflowActivateMode?]>([
		['nothing is deactivated', [['set']]],
		['a node before the deactivated one may send', [['httpRequest', '[slack]']]],
		[
			'another way sends',
			[
				['if', '[httpRequest]'],
				['if', 'emailSend'],
			],
		],
		['a node of an unknown kind may send', [['code', '[httpRequest]']]],
		['n8n starts', [['[httpRequest]']], 'init'],
	])('is not reported: %s', async (_, ways, mode = 'activate') => {
		expect(await reported(ways, mode)).toEqual([]);
	});
});
