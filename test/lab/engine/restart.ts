import { jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';
import { runNode } from './engine';
import type { LeadsBench } from './leads';

/** Runs Agent Leads in a process of its own. */
export type LeadsProcess = (
	parameters?: INodeParameters,
	more?: Partial<NodeUnderTest>,
) => Promise<NodeRun>;

/**
 * Another process of n8n with the same credential, after a restart or a further worker: it has the
 * package's code anew, so it knows what is stored and nothing else.
 */
export async function anotherProcess(bench: LeadsBench): Promise<LeadsProcess> {
	jest.resetModules();
	// n8n's own classes stay, so that its engine knows the errors that the node throws.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	const { AgentLeads } = await import('../../../nodes/AgentLeads/AgentLeads.node');
	const { AgentLeadsApi } = await import('../../../credentials/AgentLeadsApi.credentials');
	jest.dontMock('n8n-workflow');
	const credentials = new CredentialsTable([new AgentLeadsApi()], bench.credentials.rows);
	return async (parameters, more) =>
		await runNode({ ...bench.test(parameters, more), node: new AgentLeads(), credentials });
}
