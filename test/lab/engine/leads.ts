import type { INodeParameters } from 'n8n-workflow';

import { AgentLeadsApi } from '../../../credentials/AgentLeadsApi.credentials';
import { AgentLeads } from '../../../nodes/AgentLeads/AgentLeads.node';
import { credentialOf } from '../credentialOf';
import { Sandbox } from '../sandbox';
import { Bench } from './bench';
import { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';
import { runNode, startNode } from './engine';

export { DAY, HOUR, shortenBackoff } from './bench';

/** Agent Leads in n8n's engine against a sandbox of its own. */
export class LeadsBench extends Bench {
	static async start(): Promise<LeadsBench> {
		const sandbox = await Sandbox.start();
		const { data } = credentialOf(sandbox, sandbox.leadsClient);
		return new LeadsBench(
			sandbox,
			new CredentialsTable([new AgentLeadsApi()], { credential: data }),
			new AgentLeads().methods.credentialTest.agentLeadsApiTest,
		);
	}

	/** What the leads API was asked, in order. */
	get dataRequests() {
		return this.sandbox.requests.filter(({ path }) => path.endsWith('-leads'));
	}

	get tokenRequests() {
		return this.sandbox.requests.filter(({ path }) => path.endsWith('/oauth2/token'));
	}

	test(parameters: INodeParameters = {}, more: Partial<NodeUnderTest> = {}): NodeUnderTest {
		return {
			node: new AgentLeads(),
			credentials: this.credentials,
			parameters: { resource: 'applicantLead', operation: 'getAll', ...parameters },
			...more,
		};
	}

	async run(parameters?: INodeParameters, more?: Partial<NodeUnderTest>): Promise<NodeRun> {
		return await runNode(this.test(parameters, more));
	}

	start(parameters?: INodeParameters) {
		return startNode(this.test(parameters));
	}
}

export function idsOf(run: NodeRun): unknown[] {
	return run.items.map(({ json }) => json.id);
}

/** Everything in a run that a person or an error workflow may see. */
export function visibleText(run: NodeRun): string {
	const { message, description, cause } = run.error ?? {};
	return [run.stored, message, description, JSON.stringify(cause)].join('\n');
}
