import { afterEach, beforeAll, beforeEach } from '@jest/globals';

import { useInAll } from '../../standIn';
import { isFinished, until, type Execution, type SavedCredential, type StoredWorkflow } from '..';
import { HttpReceiver } from '../httpReceiver';
import { MailServer } from '../mailServer';
import { setUp, type Replacement } from './examples';
import type { NodeParameters } from './nodes';
import { PUSH_KEY } from './pushed';
import type { Client } from './service';
import type { Stage } from './stage';
import { useStage } from './useStage';

/** With which an assistant logs in to the agency's MCP server. */
export const BEARER_TOKEN = 'a token of the agency, 5f0d31c7';

const ARRIVAL_DEADLINE_MS = 60_000;

type LeadOverrides = NonNullable<Parameters<Stage['sandbox']['addLead']>[1]>;

/** A stage with whatever the examples write to, and an agency of its own for each test. */
export function useExamples(): Examples {
	// The form asks for its user's consent under n8n's own address, where the browser has to be logged in.
	const stage = useStage({ env: { N8N_HOST: '127.0.0.1' } });
	const receiver = useInAll(async () => await HttpReceiver.start());
	const mailServer = useInAll(async () => await MailServer.start());
	const examples = new Examples(stage, receiver, mailServer);
	beforeAll(async () => await examples.saveCredentials());
	beforeEach(async () => void (await examples.addAgency()));
	afterEach(async () => await examples.clear());
	return examples;
}

class Examples {
	/** By their type. */
	readonly credentials: Record<string, SavedCredential> = {};
	/** The agency of the test, which sees its own leads alone. */
	private client: Client | undefined;
	private leads = 0;

	constructor(
		readonly stage: Stage,
		/** The CRM, and the chat. */
		readonly receiver: HttpReceiver,
		readonly mailServer: MailServer,
	) {}

	async saveCredentials(): Promise<void> {
		const { stage, mailServer, credentials } = this;
		const client = (integration: 'inventory' | 'products') => stage.addClient({ integration });
		credentials.agentInventoryApi = await stage.saveCredential(client('inventory'));
		credentials.agentProductsApi = await stage.saveCredential(client('products'));
		const push = { authentication: 'apiKey', apiKey: PUSH_KEY };
		credentials.smtp = await stage.n8n.createCredential('smtp', 'Mail', mailServer.credential);
		const own = { agentLeadsPushApi: push, httpBearerAuth: { token: BEARER_TOKEN } };
		for (const [type, data] of Object.entries(own))
			credentials[type] = await stage.n8n.createCredential(type, type, data);
	}

	/** @returns the credential with which the agency gets its leads */
	async addAgency(): Promise<SavedCredential> {
		this.client = this.stage.addClient({ branches: [`agency-${++this.leads}`] });
		return (this.credentials.agentLeadsApi = await this.stage.saveCredential(this.client));
	}

	/**
	 * A workflow of an example, set up for the agency of the test.
	 *
	 * @param parameters by the name of the node
	 */
	async make(file: string, parameters: Record<string, NodeParameters> = {}, replace?: Replacement) {
		return await this.stage.save(setUp(file, this.credentials, parameters, replace));
	}

	/** The same, published. */
	async publish(file: string, parameters?: Record<string, NodeParameters>, replace?: Replacement) {
		const workflow = await this.make(file, parameters, replace);
		await this.stage.n8n.activate(workflow);
		return workflow;
	}

	/** Ends the workflows of a test, and forgets what they have written. */
	async clear(): Promise<void> {
		const { stage, receiver, mailServer } = this;
		for (const workflow of stage.workflows.splice(0)) await stage.n8n.deactivate(workflow);
		receiver.requests.length = 0;
		receiver.answer = () => 200;
		mailServer.mails.length = 0;
		mailServer.accepts = () => true;
		stage.sandbox.faults.clear();
		stage.sandbox.pushes.clear();
	}

	/** All rows of a data table of n8n, by its name; none if there is no such table. */
	async rows(name: string): Promise<Array<Record<string, unknown>>> {
		const { rest } = this.stage.n8n;
		const path = await this.tablePath(name);
		if (path === undefined) return [];
		type Rows = { data: Array<Record<string, unknown>> };
		return (await rest.get<Rows>(`${path}/rows?take=250`)).data;
	}

	/** Where n8n's REST API has a data table. */
	async tablePath(name: string): Promise<string | undefined> {
		type Tables = { data: Array<Record<'id' | 'name' | 'projectId', string>> };
		const { data } = await this.stage.n8n.rest.get<Tables>('/rest/data-tables-global');
		const table = data.find((each) => each.name === name);
		return table && `/rest/projects/${table.projectId}/data-tables/${table.id}`;
	}

	/** From now on the service pushes new leads to the trigger of a workflow that takes them. */
	pushTo({ nodes }: StoredWorkflow): void {
		const { n8n, sandbox } = this.stage;
		const trigger = nodes.find(({ type }) => type.endsWith('.agentLeadsPushTrigger'));
		const url = `${n8n.url}/webhook/${trigger?.webhookId}/leads`;
		sandbox.pushes.add({ url, authentication: { by: 'key', key: PUSH_KEY } });
	}

	/** @returns the id of a lead of the agency, which the service has since now or since `ago` milliseconds */
	addLead(kind: 'applicant' | 'appraisal', overrides: LeadOverrides = {}, ago = 0): string {
		const { sandbox } = this.stage;
		const id = `lead-${++this.leads}`;
		const receivedAt = sandbox.now() - ago;
		const createdAt = new Date(receivedAt).toISOString().replace(/\.\d+Z/, 'Z');
		const branchId = this.client?.branches[0];
		// The service leaves texts empty; that they are null is a test's own idea.
		const isOdd = JSON.stringify(overrides).includes('null');
		sandbox.addLead(kind, { id, createdAt, ...overrides }, { branchId, receivedAt, isOdd });
		return id;
	}

	/** The mail that names a lead; fails unless there is exactly one. */
	mailAbout(lead: string): MailServer['mails'][number] {
		const [mail, ...more] = this.mailServer.mails.filter(({ text }) =>
			text?.includes(`ID: ${lead}\n`),
		);
		if (!mail || more.length > 0) throw new Error(`Not one mail for ${lead}`);
		return mail;
	}

	/** Waits until so many mails are there, and no execution of a workflow is under way. */
	async mails(count: number, workflow: StoredWorkflow): Promise<void> {
		await arrival(`${count} mails`, () => this.mailServer.mails.length >= count);
		await this.rest(workflow);
	}

	/** Waits until an execution of a workflow has failed. */
	async failure(workflow: StoredWorkflow): Promise<Execution> {
		const { n8n } = this.stage;
		return await until('a failed execution', ARRIVAL_DEADLINE_MS, async () => {
			const list = await n8n.listExecutions(workflow);
			const failed = list.find(({ status }) => status === 'error');
			return failed && (await n8n.getExecution(failed.id));
		});
	}

	/**
	 * Repeats an execution from where it ended, as “Retry” in the list of executions does.
	 *
	 * @param loadWorkflow with the currently saved workflow instead of the original one
	 */
	async retry({ id }: Execution, { loadWorkflow = false } = {}): Promise<Execution> {
		const { n8n } = this.stage;
		const path = `/rest/executions/${id}/retry`;
		const retry = await n8n.rest.post<{ id: string }>(path, { loadWorkflow });
		return await n8n.waitForExecution(retry.id);
	}

	/** Waits until no execution of a workflow is under way. */
	async rest(workflow: StoredWorkflow): Promise<void> {
		await until('all executions to end', ARRIVAL_DEADLINE_MS, async () =>
			(await this.stage.n8n.listExecutions(workflow)).every(isFinished),
		);
	}
}

/** Waits for a condition on what has arrived. */
export async function arrival(what: string, isThere: () => boolean): Promise<void> {
	await until(what, ARRIVAL_DEADLINE_MS, isThere);
}
