import { join } from 'node:path';

import { chain, until, type NodeInput, type SavedCredential, type StoredWorkflow } from '../n8n';
import { Browser } from '../n8n/browser';
import { HttpReceiver } from '../n8n/httpReceiver';
import { MailServer } from '../n8n/mailServer';
import { AGENCY, Stage } from '../n8n/stage';
import { readExample, setUp } from '../n8n/stage/examples';
import type { NodeParameters } from '../n8n/stage/nodes';
import { root } from '../paths';
import { credentialOf } from '../credentialOf';
import { Aliases } from './aliases';
import { stageScenery } from './camera';
import { HOUSES, LEADS, MOMENT, type PicturedLead } from './data';

const SHIFTED_TIME = join(root, 'test', 'lab', 'pictures', 'shiftedTime.js');
const PUSH_KEY = 'invented-key-of-the-agency-5e0b7c21';
const RUN_DEADLINE_MS = 60_000;

/** The branch whose leads the panels show. */
const BRANCH = 'pictures';

/** The credentials by their type. */
const NAMES = {
	agentLeadsApi: 'Leads of Littleford',
	agentLeadsPushApi: 'Leads pushed to Littleford',
	agentInventoryApi: 'Inventory of Littleford',
	agentProductsApi: 'Products of Littleford',
	smtp: 'Email of Littleford',
};

type Credentials = Record<keyof typeof NAMES, SavedCredential>;

/** A real n8n at a moment that is always the same, with all that the pictures need around it. */
export class Studio {
	private agencies = 0;

	private constructor(
		readonly stage: Stage,
		readonly browser: Browser,
		private readonly receiver: HttpReceiver,
		private readonly mailServer: MailServer,
		private readonly aliases: Aliases,
		readonly credentials: Credentials,
	) {}

	static async open(): Promise<Studio> {
		const stage = await Stage.start({
			env: {
				NODE_OPTIONS: `--require ${SHIFTED_TIME}`,
				TIME_SHIFT_MS: String(MOMENT - Date.now()),
				// The other engines have a time of their own.
				N8N_EXPRESSION_ENGINE: 'legacy',
				// A form asks for its user's consent under n8n's own address, where the browser has to be logged in.
				N8N_HOST: '127.0.0.1',
			},
		});
		const browser = await Browser.start({ deviceScaleFactor: 2 });
		const receiver = await HttpReceiver.start();
		const mailServer = await MailServer.start();
		const aliases = new Aliases([
			['https://auth.example.com', stage.sandbox.authUrl],
			['https://leads.example.com', stage.sandbox.leadsUrl],
			['https://crm.example.com/api/leads', `${receiver.url}/crm`],
			['https://chat.example.com/webhook', `${receiver.url}/chat`],
		]);
		const credentials = await saveCredentials(stage, mailServer);
		const studio = new Studio(stage, browser, receiver, mailServer, aliases, credentials);
		await studio.furnish();
		return studio;
	}

	async close(): Promise<void> {
		await this.browser.stop();
		await this.stage.stop();
		await this.receiver.stop();
		await this.mailServer.stop();
	}

	private async furnish(): Promise<void> {
		const { sandbox, n8n } = this.stage;
		sandbox.standStill();
		sandbox.advance(MOMENT - sandbox.now());
		sandbox.inventory.fill(AGENCY, 0);
		for (const house of HOUSES) sandbox.inventory.create(AGENCY, house);
		for (const lead of LEADS) this.addLead(lead);
		const page = await this.browser.open(n8n, '/home/workflows');
		await stageScenery(page.context(), this.aliases, n8n.url);
		await page.close();
	}

	/** A stored workflow of nodes in a row. */
	async save(...nodes: NodeInput[]): Promise<StoredWorkflow> {
		return await this.stage.save(chain('Pictures', ...nodes));
	}

	/** The workflow of an example without its notes, set up for an agency without leads. */
	async example(file: string) {
		const { stage, credentials } = this;
		const branch = `agency-${++this.agencies}`;
		const agentLeadsApi = await saveLeadsCredential(stage, branch);
		const { nodes, ...example } = setUp(readExample(file), {
			credentials: { ...credentials, agentLeadsApi },
		});
		const shown = nodes
			.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
			.map((node) => ({ ...node, parameters: this.toLocal(node.parameters) }));
		const workflow = await stage.save({ ...example, nodes: shown });
		return { workflow, branch };
	}

	private toLocal(parameters: NodeParameters): NodeParameters {
		return JSON.parse(this.aliases.toLocal(JSON.stringify(parameters))) as NodeParameters;
	}

	/** From now on the service pushes new leads to this address of n8n. */
	pushTo(path: string): void {
		const { n8n, sandbox } = this.stage;
		const url = `${n8n.url}/${path}`;
		sandbox.pushes.add({ url, authentication: { by: 'key', key: PUSH_KEY } });
	}

	addLead({ kind, ago, fields }: PicturedLead, branchId = BRANCH): void {
		const { sandbox } = this.stage;
		sandbox.addLead(kind, fields, { branchId, receivedAt: sandbox.now() - ago });
	}

	/** Has the CRM, once it is asked, answer only when it is told to. */
	holdCrm(): { asked: Promise<void>; release: () => void } {
		let release = () => {};
		const asked = new Promise<void>((resolve) => {
			this.receiver.answer = async () => {
				resolve();
				return await new Promise<number>((answer) => (release = () => answer(200)));
			};
		});
		const releaseForGood = () => {
			this.receiver.answer = () => 200;
			release();
		};
		return { asked, release: releaseForGood };
	}

	/** Deletes the credentials that were made for a picture, so that the next one has the same name. */
	async forgetNewCredentials(): Promise<void> {
		const { n8n } = this.stage;
		const made = (await n8n.credentials()).filter(({ name }) => / account( \d+)?$/.test(name));
		for (const { id } of made) await n8n.deleteCredential(id);
	}

	/** Waits for a run that has succeeded. */
	async succeeded(workflow: StoredWorkflow): Promise<string> {
		const { n8n } = this.stage;
		return await until(`a run of ${workflow.name}`, RUN_DEADLINE_MS, async () => {
			const runs = await n8n.listExecutions(workflow);
			if (runs.some(({ status }) => status === 'error')) throw new Error('A run failed');
			return runs.find(({ status }) => status === 'success')?.id;
		});
	}
}

async function saveCredentials(stage: Stage, mailServer: MailServer): Promise<Credentials> {
	const { n8n, sandbox } = stage;
	const push = { authentication: 'apiKey', apiKey: PUSH_KEY };
	return {
		agentLeadsApi: await saveLeadsCredential(stage, BRANCH),
		agentLeadsPushApi: await n8n.createCredential(
			'agentLeadsPushApi',
			NAMES.agentLeadsPushApi,
			push,
		),
		agentInventoryApi: await saveAs(stage, sandbox.inventoryClient, 'agentInventoryApi'),
		agentProductsApi: await saveAs(stage, sandbox.productsClient, 'agentProductsApi'),
		smtp: await n8n.createCredential('smtp', NAMES.smtp, mailServer.credential),
	};
}

async function saveLeadsCredential(stage: Stage, branch: string): Promise<SavedCredential> {
	return await saveAs(stage, stage.addClient({ branches: [branch] }), 'agentLeadsApi');
}

async function saveAs(
	stage: Stage,
	client: Stage['sandbox']['leadsClient'],
	type: keyof typeof NAMES,
): Promise<SavedCredential> {
	return await stage.n8n.createCredential(
		type,
		NAMES[type],
		credentialOf(stage.sandbox, client).data,
	);
}
