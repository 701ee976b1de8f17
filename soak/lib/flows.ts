import { credentialOf } from '../../test/lab/credentialOf';
import {
	chain,
	EVERY_FIVE_SECONDS,
	PACKAGE_NAME,
	type NodeInput,
	type StoredWorkflow,
	type WorkflowJson,
} from '../../test/lab/n8n';
import { NO_OPERATION, postTo } from '../../test/lab/n8n/stage/nodes';
import type { Both } from '../../test/lab/n8n/withN8n';
import type { Sandbox } from '../../test/lab/sandbox';
import type { Client } from '../../test/lab/sandbox/types';
import { BRANCHES } from './plan';

/** How leads are handed to the workflows. */
export interface HandOver {
	runs: 'onePerPoll' | 'onePerLead';
	/** How many more times a lead is run if its run fails. */
	runAgain: number;
}

/** A workflow, and which leads it is for. */
export interface Flow {
	title: string;
	/** Of the trigger. */
	parameters: NonNullable<NodeInput['parameters']>;
	byBranch: boolean;
	client: Client;
}

export const TRIGGER = 'Agent Leads Trigger';

const TOKEN_LIFETIME_S = 20;

/** Two that get every lead, in different ways. */
export function flowsOf(sandbox: Sandbox): Flow[] {
	const all = sandbox.updateClient(sandbox.leadsClient.clientId, {
		tokenLifetime: TOKEN_LIFETIME_S,
	});
	const branches = sandbox.addClient({
		integration: 'leads',
		clientId: 'branches-client',
		clientSecret: 'branches-secret',
		branches: BRANCHES,
		tokenLifetime: TOKEN_LIFETIME_S,
	});
	return [
		{ title: 'all leads', parameters: { filterBy: 'none' }, byBranch: false, client: all },
		{
			title: 'by branch',
			parameters: { filterBy: 'branch', filterId: BRANCHES.join(', ') },
			byBranch: true,
			client: branches,
		},
	];
}

/**
 * Saves the workflow, not active yet, with a credential of its own.
 *
 * @param url of the target that gets the leads
 */
export async function createWorkflow(
	both: Both,
	flow: Flow,
	handOver: HandOver,
	url: string,
): Promise<StoredWorkflow> {
	const credentials = await credentialsOf(both, flow);
	const workflow = workflowOf(flow, handOver, url, credentials);
	return await both.n8n.createWorkflow({
		...workflow,
		settings: {
			...workflow.settings,
			saveDataSuccessExecution: 'all',
			saveDataErrorExecution: 'all',
			saveExecutionProgress: true,
		},
	});
}

async function credentialsOf({ n8n, sandbox }: Both, { title, client }: Flow) {
	const { type, data } = credentialOf(sandbox, client);
	return { [type]: await n8n.createCredential(type, title, data) };
}

function workflowOf(
	{ title, parameters }: Flow,
	{ runs, runAgain }: HandOver,
	url: string,
	credentials: NonNullable<NodeInput['credentials']>,
): WorkflowJson {
	const trigger = {
		name: TRIGGER,
		type: `${PACKAGE_NAME}.agentLeadsTrigger`,
		parameters: {
			pollTimes: EVERY_FIVE_SECONDS,
			leadTypes: ['applicant', 'appraisal'],
			...parameters,
			simplify: true,
			startFrom: 'activation',
			runs,
			options: { runAgain },
		},
		credentials,
	};
	return chain(title, trigger, runs === 'onePerLead' ? postTo(url) : NO_OPERATION);
}
