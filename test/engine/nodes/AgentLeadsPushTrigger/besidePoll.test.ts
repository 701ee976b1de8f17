import { describe, expect, it } from '@jest/globals';
import type { INode, INodeParameters, INodeType } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { AgentLeads } from '../../../../nodes/AgentLeads/AgentLeads.node';
import { AgentLeadsPushTrigger } from '../../../../nodes/AgentLeadsPushTrigger/AgentLeadsPushTrigger.node';
import { AgentLeadsTrigger } from '../../../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node';

const TYPES: Record<'polling' | 'pushed' | 'other', INodeType> = {
	polling: new AgentLeadsTrigger(),
	pushed: new AgentLeadsPushTrigger(),
	other: new AgentLeads(),
};

/** Of a workflow: its name, its type and its parameters. */
type Node = [name: string, type: keyof typeof TYPES, parameters?: INodeParameters];

/** The hints that the panel of the first node shows: n8n's editor asks so for them. */
function shown(...nodes: [Node, ...Node[]]): string[] {
	const [[name, type]] = nodes;
	const { hints = [] } = TYPES[type].description;
	const { expression } = workflowOf(nodes);
	return hints.flatMap(({ message, displayCondition = '' }) => {
		const value = expression.getParameterValue(
			displayCondition,
			null,
			0,
			0,
			name,
			[],
			'manual',
			{},
		);
		// The editor takes nothing but this for an answer.
		if (typeof value !== 'boolean') throw new Error(`Neither true nor false, but ${typeof value}`);
		return value ? [message] : [];
	});
}

function workflowOf(nodes: Node[]): Workflow {
	const typeOf = (name: string) => Object.entries(TYPES).find(([each]) => each === name)?.[1];
	return new Workflow({
		id: 'workflow',
		nodes: nodes.map(([name, type, parameters = {}]): INode => {
			return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters };
		}),
		connections: {},
		active: false,
		nodeTypes: {
			getByName: (name) => typeOf(name) ?? TYPES.other,
			getByNameAndVersion: (name) => typeOf(name) ?? TYPES.other,
			getKnownTypes: () => ({}),
		},
	});
}

const POLLING = TYPES.polling.description.defaults.name ?? '';
const PUSHED = TYPES.pushed.description.defaults.name ?? '';

describe('the panel of the polling trigger in a workflow with pushes', () => {
	const polling: Node = [POLLING, 'polling', { runs: 'onePerPoll' }];

	it.each<[string, INodeParameters]>([
		['one per poll', { runs: 'onePerPoll' }],
		['one per poll by an expression', { runs: '={{ "onePer" + "Poll" }}' }],
	])('shows a hint if the runs are %s', (_, parameters) => {
		const poll: Node = [POLLING, 'polling', parameters];
		const push: Node = [PUSHED, 'pushed'];
		const hint = /has two runs here\. In Agent Leads Trigger, set “Runs” to “One per Lead”:/;

		expect(shown(poll, push)).toEqual([expect.stringMatching(hint)]);
	});

	it.each([{}, { runs: 'onePerLead' }, { runs: '={{ "onePerLead" }}' }])(
		'shows none with %j',
		(parameters) => {
			const poll: Node = [POLLING, 'polling', parameters];
			const push: Node = [PUSHED, 'pushed'];

			expect(shown(poll, push)).toEqual([]);
		},
	);

	it('shows none if there are no pushes', () => {
		expect(shown(polling, ['Agent Leads', 'other'])).toEqual([]);
	});

	it('shows one in a node that was renamed, and none if the other was', () => {
		const renamed: Node = ['Renamed', 'polling', { runs: 'onePerPoll' }];
		expect(shown(renamed, [PUSHED, 'pushed'])).toHaveLength(1);
		// n8n's expressions cannot look for a node by its type.
		expect(shown(polling, ['Renamed', 'pushed'])).toEqual([]);
	});
});
