import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import identity from 'lodash/identity';
import type { AssignmentCollectionValue, INode, NodeParameterValue } from 'n8n-workflow';

import { filledIn } from '../../../../scripts/lib/filledIn';
import { root } from '../../paths';
import type { SavedCredential } from '../n8n';
import { EVERY_FIVE_SECONDS } from '../polling';
import type { WorkflowJson } from '../workflow';
import type { NodeParameters } from './nodes';

const EXAMPLES = join(root, 'examples');

/** Puts another node in the place of one that has no service here. */
export type Replacement = (node: INode) => INode;

export function exampleFiles(): string[] {
	return readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
}

export function readExample(file: string): WorkflowJson {
	return JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowJson;
}

/** The parameters of a Set node of an example, with other values for some of its fields. */
export function assigned(
	file: string,
	nodeName: string,
	values: Record<string, NodeParameterValue>,
): NodeParameters {
	const node = readExample(file).nodes.find(({ name }) => name === nodeName);
	const { assignments } = node?.parameters.assignments as AssignmentCollectionValue;
	const changed = assignments.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
	return { assignments: { assignments: changed } };
}

/**
 * An example after a user has set it up: credentials and addresses. Waits are made short.
 *
 * @param credentials by their type: each node gets the one for its type
 * @param parameters by the name of the node
 */
export function setUp(
	file: string,
	credentials: Record<string, SavedCredential>,
	parameters: Record<string, NodeParameters>,
	replace: Replacement = identity,
): WorkflowJson {
	const example = readExample(file);
	const nodes = example.nodes.map(replace).map((node) => ({
		...node,
		...(node.waitBetweenTries !== undefined && { waitBetweenTries: 100 }),
		credentials: Object.fromEntries(
			Object.keys(node.credentials ?? {}).map((type) => {
				const credential = credentials[type];
				if (!credential) throw new Error(`${node.name} wants a credential of the type ${type}`);
				return [type, credential];
			}),
		),
		parameters: filledIn({
			...node.parameters,
			...(node.parameters.pollTimes !== undefined && { pollTimes: EVERY_FIVE_SECONDS }),
			...parameters[node.name],
		}),
	}));
	return { ...example, nodes };
}
