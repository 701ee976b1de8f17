import { jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject, INodeParameters } from 'n8n-workflow';

import { AgentLeadsApi } from '../../../credentials/AgentLeadsApi.credentials';
import { AgentLeads } from '../../../nodes/AgentLeads/AgentLeads.node';
import { Sandbox } from '../../sandbox';
import { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';
import { runNode, startNode } from './engine';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Agent Leads in n8n's engine against a sandbox of its own. */
export class LeadsBench {
	private constructor(
		readonly sandbox: Sandbox,
		readonly credentials: CredentialsTable,
	) {}

	static async start(): Promise<LeadsBench> {
		const sandbox = await Sandbox.start();
		const { clientId, clientSecret } = sandbox.leadsClient;
		const { authUrl, leadsUrl } = sandbox;
		const row = { clientId, clientSecret, authUrl, leadsUrl };
		return new LeadsBench(
			sandbox,
			new CredentialsTable([new AgentLeadsApi()], { credential: row }),
		);
	}

	async stop(): Promise<void> {
		await this.sandbox.stop();
	}

	/** What n8n has stored of the credential. */
	get stored(): ICredentialDataDecryptedObject {
		return this.credentials.rows.credential ?? {};
	}

	get clientId(): string {
		const { clientId } = this.stored;
		return typeof clientId === 'string' ? clientId : '';
	}

	/** Tokens issued to the credential's client so far. */
	get tokens(): number {
		return this.sandbox.counts.tokens[this.clientId] ?? 0;
	}

	/** Sets the clocks of the node and of the service; the node's stands still there. */
	setClock(time: number): void {
		jest.useFakeTimers({ now: time, doNotFake: [...EVERYTHING_BUT_DATE] });
		this.sandbox.advance(time - this.sandbox.now());
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

/** Waits between tries become short, at the low end of their jitter; Retry-After stays as it is. */
export function shortenBackoff(): void {
	jest.spyOn(Math, 'random').mockReturnValue(0.001);
}

const EVERYTHING_BUT_DATE = [
	'hrtime',
	'nextTick',
	'performance',
	'queueMicrotask',
	'setImmediate',
	'clearImmediate',
	'setInterval',
	'clearInterval',
	'setTimeout',
	'clearTimeout',
] as const satisfies string[];
