import { NodeHelpers, type INode, type INodeTypeDescription } from 'n8n-workflow';
import pick from 'lodash/pick';

import { isRecord } from '../values';
import type { WorkflowJson } from './workflow';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';

/** Settings of a node that change what it does. */
const NODE_SETTINGS = [
	'disabled',
	'executeOnce',
	'alwaysOutputData',
	'retryOnFail',
	'maxTries',
	'waitBetweenTries',
	'onError',
] as const;

const WORKFLOW_SETTINGS = ['executionOrder', 'timezone', 'saveDataErrorExecution'] as const;

/**
 * What two workflows have in common that do the same: all but notes, credentials, ids, and where the nodes lie. Parameters
 * that n8n fills in by itself count as if they were written down, and the branches of an output are in the order in
 * which n8n runs them, which is that on the canvas.
 *
 * @param types all that this n8n has
 */
export function essenceOf(workflow: WorkflowJson, types: INodeTypeDescription[]) {
	const nodes = workflow.nodes.filter(({ type }) => type !== STICKY_NOTE);
	return {
		name: workflow.name,
		settings: pick(workflow.settings, WORKFLOW_SETTINGS),
		nodes: Object.fromEntries(
			nodes.map((node) => [node.name, nodeEssence(node, types)] as const).sort(byName),
		),
		connections: Object.fromEntries(
			nodes.map(({ name }) => [name, outputsOf(name, workflow)] as const).sort(byName),
		),
	};
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
	return one < other ? -1 : 1;
}

function nodeEssence(node: INode, types: INodeTypeDescription[]) {
	const type = types.find(({ name, version }) => {
		return name === node.type && [version].flat().includes(node.typeVersion);
	});
	if (!type) throw new Error(`There is no ${node.type} ${node.typeVersion}`);
	const { properties } = type;
	const all = NodeHelpers.getNodeParameters(properties, node.parameters, true, false, node, type);
	return {
		type: node.type,
		typeVersion: node.typeVersion,
		hasAddress: node.webhookId !== undefined,
		...pick(node, NODE_SETTINGS),
		parameters: withoutIds(all),
	};
}

/** Lists whose members have ids that nobody reads. */
const LISTS_WITH_IDS = ['assignments', 'conditions'];

function withoutIds(value: unknown, list = ''): unknown {
	if (Array.isArray(value)) return value.map((each) => withoutIds(each, list));
	if (!isRecord(value)) return value;
	const members = Object.entries(value).filter(
		([name]) => name !== 'id' || !LISTS_WITH_IDS.includes(list),
	);
	return Object.fromEntries(members.map(([name, each]) => [name, withoutIds(each, name)]));
}

/** Where each output of a node leads, in the order in which n8n goes there. */
function outputsOf(name: string, { nodes, connections }: WorkflowJson): string[][] {
	const positions = new Map(nodes.map(({ name: each, position }) => [each, position]));
	const [x, y] = [0, 1];
	const at = (node: string, axis: number): number => positions.get(node)?.[axis] ?? 0;
	return (connections[name]?.main ?? []).map((targets) =>
		[...(targets ?? [])]
			.sort(
				(one, other) => at(one.node, y) - at(other.node, y) || at(one.node, x) - at(other.node, x),
			)
			.map(({ node, index }) => `${node} (${index})`),
	);
}
