import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../paths';
import type { Mcp } from '../mcp';

const SCRIPTS = join(root, 'test', 'lab', 'n8n', 'assistant', 'scripts');

/** What n8n has to say against a script. */
export interface Validation {
	valid: boolean;
	warnings?: Array<{ code: string; message: string; nodeName?: string }>;
}

/** A node that n8n has chosen a credential for by itself. */
export interface ChosenCredential {
	nodeName: string;
	credentialName: string;
	credentialType: string;
}

interface Created {
	workflowId: string;
	autoAssignedCredentials: ChosenCredential[];
}

/** The script in n8n's workflow SDK that an assistant writes for an example. */
export function scriptOf(example: string): string {
	return readFileSync(join(SCRIPTS, example.replace(/\.json$/, '.mjs')), 'utf8');
}

/**
 * Stands in for an assistant that builds workflows at n8n's MCP server: it calls the tools that a model would, with scripts
 * that are written down.
 */
export class Assistant {
	constructor(private readonly mcp: Mcp) {}

	/** The nodes that any of the queries finds, with those that go with them. */
	async find(queries: readonly string[]): Promise<string[]> {
		const found = (await this.mcp.searchNodes(queries)).flat();
		return found.map(({ id }) => id);
	}

	/** The type of a node's parameters, for one operation if it has several. */
	async definition(nodeId: string, parameters: { resource?: string; operation?: string }) {
		const { resource, operation } = parameters;
		const { definitions } = await this.mcp.call<{ definitions: string }>('get_node_types', {
			nodeIds: [{ nodeId, resource, operation }],
		});
		return definitions;
	}

	async validate(code: string): Promise<Validation> {
		return await this.mcp.call('validate_workflow', { code });
	}

	async create(code: string): Promise<Created> {
		return await this.mcp.call('create_workflow_from_code', { code });
	}

	async publish(workflowId: string): Promise<void> {
		const answer = await this.mcp.call<{ success: boolean; error?: string }>('publish_workflow', {
			workflowId,
		});
		if (!answer.success) throw new Error(`Not published: ${answer.error}`);
	}

	/**
	 * Runs a workflow from a trigger without input.
	 *
	 * @returns the id of the execution
	 */
	async execute(workflowId: string, triggerNodeName?: string): Promise<string> {
		const answer = await this.mcp.call<{ executionId: string | null; error?: string }>(
			'execute_workflow',
			{ workflowId, executionMode: 'manual', triggerNodeName },
		);
		if (answer.executionId === null) throw new Error(`Not executed: ${answer.error}`);
		return answer.executionId;
	}
}
