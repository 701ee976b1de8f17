import { describe, expect, it } from '@jest/globals';
import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { essenceOf } from '../../../lab/n8n/essence';
import { chain, type WorkflowJson } from '../../../lab/n8n';

/** A type that stands in for those of an n8n. */
const TYPE: INodeTypeDescription = {
	name: 'lab.step',
	displayName: 'Step',
	group: [],
	version: [1, 2],
	description: '',
	defaults: {},
	inputs: ['main'],
	outputs: ['main'],
	properties: [
		{ displayName: 'Times', name: 'times', type: 'number', default: 1 },
		{ displayName: 'Conditions', name: 'conditions', type: 'json', default: '' },
	],
};

const step = (name: string) => ({ name, type: TYPE.name });

const NOTE: INode = {
	...step('Note'),
	id: 'note',
	type: 'n8n-nodes-base.stickyNote',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** The first node leads to each of the others. */
function example(): WorkflowJson {
	const workflow = chain('Example', step('First'), step('Second'), step('Third'));
	const targets = ['Second', 'Third'].map((node) => ({ node, type: 'main' as const, index: 0 }));
	return { ...workflow, connections: { First: { main: [targets] } } };
}

function changed(change: (workflow: WorkflowJson) => void): WorkflowJson {
	const workflow = example();
	change(workflow);
	return workflow;
}

const essence = (workflow: WorkflowJson) => essenceOf(workflow, [TYPE]);

const node = ({ nodes }: WorkflowJson, name: string) => {
	const found = nodes.find((each) => each.name === name);
	if (!found) throw new Error(`No ${name}`);
	return found;
};

describe('the essence of a workflow', () => {
	const same: Array<[string, (workflow: WorkflowJson) => void]> = [
		['ids', (workflow) => (node(workflow, 'Second').id = 'another')],
		['a place', (workflow) => (node(workflow, 'Third').position = [900, 50])],
		['the order of its nodes', ({ nodes }) => nodes.reverse()],
		['a credential', (workflow) => (node(workflow, 'First').credentials = {})],
		[
			'a default that is written down',
			(workflow) => (node(workflow, 'First').parameters = { times: 1 }),
		],
		['a note', ({ nodes }) => nodes.push(NOTE)],
	];
	const different: Array<[string, (workflow: WorkflowJson) => void]> = [
		['a parameter', (workflow) => (node(workflow, 'First').parameters = { times: 2 })],
		['a version', (workflow) => (node(workflow, 'First').typeVersion = 2)],
		['a setting of a node', (workflow) => (node(workflow, 'First').retryOnFail = true)],
		['a setting of the workflow', (workflow) => (workflow.settings = { timezone: 'Etc/UTC' })],
		['an address', (workflow) => (node(workflow, 'First').webhookId = 'one')],
		['a connection', (workflow) => (workflow.connections = {})],
		['which branch runs first', (workflow) => (node(workflow, 'Third').position = [440, -50])],
	];

	it.each(same)('is not %s', (_, change) => {
		expect(essence(changed(change))).toEqual(essence(example()));
	});

	it.each(different)('is %s', (_, change) => {
		expect(essence(changed(change))).not.toEqual(essence(example()));
	});

	it('has none of the ids of conditions', () => {
		const [one, other] = ['1', '2'].map((id) =>
			changed((workflow) => {
				node(workflow, 'First').parameters = { conditions: [{ id, leftValue: 'a' }] };
			}),
		);

		expect(one && essence(one)).toEqual(other && essence(other));
	});
});
