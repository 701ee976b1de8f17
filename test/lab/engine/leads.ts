import type { INodeParameters } from 'n8n-workflow';

import { AgentLeadsApi } from '../../../credentials/AgentLeadsApi.credentials';
import { AgentLeads } from '../../../nodes/AgentLeads/AgentLeads.node';
import { credentialOf } from '../credentialOf';
import { Sandbox } from '../sandbox';
import { Bench } from './bench';
import { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';

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

	/** The windows that were asked for, as they stood in the queries. */
	get windows() {
		return this.dataRequests.map(({ query }) => [query['from-time']?.[0], query['to-time']?.[0]]);
	}

	get tokenRequests() {
		return this.sandbox.requests.filter(({ path }) => path.endsWith('/oauth2/token'));
	}

	/** Sets the clocks to a time with its offset. */
	setTime(time: string): void {
		this.setClock(Date.parse(time));
	}

	/** Adds a lead that was submitted some time ago, in milliseconds. */
	submit(id: string, agoMs: number, kind: 'applicant' | 'appraisal' = 'applicant') {
		return this.sandbox.addLead(kind, { id }, { receivedAt: Date.now() - agoMs });
	}

	test(parameters: INodeParameters = {}, more: Partial<NodeUnderTest> = {}): NodeUnderTest {
		return {
			node: new AgentLeads(),
			credentials: this.credentials,
			parameters: { resource: 'applicantLead', operation: 'getAll', ...parameters },
			...more,
		};
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
