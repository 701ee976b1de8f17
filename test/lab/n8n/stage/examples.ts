import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { root } from '../../paths';
import type { SavedCredential } from '../n8n';
import { EVERY_FIVE_SECONDS } from '../polling';
import type { WorkflowJson } from '../workflow';
import type { NodeParameters } from './nodes';

/** What a user enters in an example: credentials by their type, and parameters by the name of the node. */
export interface ExampleSetup {
	credentials: Record<string, SavedCredential>;
	parameters?: Record<string, NodeParameters>;
}

const EXAMPLES = join(root, 'examples');

export function exampleFiles(): string[] {
	return readdirSync(EXAMPLES).filter((file) => file.endsWith('.json'));
}

export function readExample(file: string): WorkflowJson {
	return JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as WorkflowJson;
}

/**
 * An example after a user has set it up: credentials, addresses, and that the nodes that were deactivated are not. Waits
 * are made short.
 */
export function setUp(file: string, { credentials, parameters = {} }: ExampleSetup): WorkflowJson {
	const example = readExample(file);
	const nodes = example.nodes.map((node): INode => ({
		...node,
		disabled: false,
		...(node.waitBetweenTries !== undefined && { waitBetweenTries: 100 }),
		credentials: Object.fromEntries(
			Object.keys(node.credentials ?? {}).map((type) => [type, given(credentials, type)]),
		),
		parameters: {
			...node.parameters,
			...(node.parameters.pollTimes !== undefined && { pollTimes: EVERY_FIVE_SECONDS }),
			...parameters[node.name],
		},
	}));
	return { ...example, nodes };
}

function given(credentials: ExampleSetup['credentials'], type: string): SavedCredential {
	const credential = credentials[type];
	if (!credential) throw new Error(`The example wants a credential of the type ${type}`);
	return credential;
}
