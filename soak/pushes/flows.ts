import { randomUUID } from 'node:crypto';

import { credentialOf } from '../../test/lab/credentialOf';
import { chain, PACKAGE_NAME, type StoredWorkflow, type WorkflowJson } from '../../test/lab/n8n';
import { agentLeadsTrigger, postTo } from '../../test/lab/n8n/stage/nodes';
import type { Both } from '../../test/lab/n8n/withN8n';
import type { PushAuthentication, PushTarget } from '../../test/lab/sandbox/push/targets';
import { flowsOf, type Flow } from '../lib/flows';

/** The names of the triggers of each workflow. */
export const TRIGGERS = ['Push', 'Agent Leads Trigger'] as const;

/** A workflow that leads are pushed to, and that polls them as well. */
export interface PushFlow {
	flow: Flow;
	workflow: StoredWorkflow;
	target: PushTarget;
}

export const KEY = 'the key of an invented agency 5d21';
export const PAIR = { clientId: 'operator', clientSecret: 'the secret of an invented agency 77fa' };

/** Two workflows, one for each way in which the operator shows who it is; not published yet. */
export async function createFlows(both: Both, url: string): Promise<PushFlow[]> {
	const [first, second] = flowsOf(both.sandbox);
	if (!first || !second) throw new Error('Two flows are needed');
	return [
		await createFlow(both, { flow: first, url, by: 'key' }),
		await createFlow(both, { flow: second, url, by: 'token' }),
	];
}

interface Wanted {
	flow: Flow;
	/** Of the target that gets the leads. */
	url: string;
	by: PushAuthentication['by'];
}

async function createFlow(both: Both, { flow, url, by }: Wanted): Promise<PushFlow> {
	const { n8n, sandbox } = both;
	const { type, data } = credentialOf(sandbox, flow.client);
	const pollCredential = await n8n.createCredential(type, flow.title, data);
	const push = {
		name: TRIGGERS[0],
		type: `${PACKAGE_NAME}.agentLeadsPushTrigger`,
		webhookId: randomUUID(),
		parameters: { leadTypes: ['applicant', 'appraisal'], simplify: true },
		credentials: {
			agentLeadsPushApi: await n8n.createCredential('agentLeadsPushApi', by, pushCredential(by)),
		},
	};
	const poll = agentLeadsTrigger(pollCredential, { ...flow.parameters, runs: 'onePerLead' });
	const [trigger] = chain('', poll).nodes;
	const pushed = chain(flow.title, push, postTo(url));
	if (!trigger) throw new Error('No trigger');
	const workflow = await n8n.createWorkflow({
		...withTrigger(pushed, trigger),
		settings: { ...pushed.settings, saveExecutionProgress: true },
	});
	const at = (path: string) => `${n8n.url}/webhook/${push.webhookId}/${path}`;
	const authentication: PushAuthentication =
		by === 'key' ? { by, key: KEY } : { by, tokenUrl: at('token'), ...PAIR, pairIn: 'basic' };
	return { flow, workflow, target: { url: at('leads'), authentication } };
}

function pushCredential(by: PushAuthentication['by']): Record<string, string> {
	return by === 'key'
		? { authentication: 'apiKey', apiKey: KEY }
		: { authentication: 'clientCredentials', ...PAIR };
}

/** The same workflow, which another trigger starts as well. */
function withTrigger(workflow: WorkflowJson, trigger: WorkflowJson['nodes'][number]): WorkflowJson {
	const next = workflow.connections[TRIGGERS[0]];
	if (!next) throw new Error('Nothing follows');
	return {
		...workflow,
		nodes: [...workflow.nodes, trigger],
		connections: { ...workflow.connections, [trigger.name]: next },
	};
}
