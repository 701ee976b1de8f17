import { randomUUID } from 'node:crypto';

import type { NodeInput, StoredWorkflow } from '../n8n';
import { chain } from '../n8n';
import { LeadTarget } from '../n8n/leadTarget';
import type { Stage } from '../n8n/stage';
import { agentLeadsTrigger } from '../n8n/stage';
import type { PushAnswer } from '../sandbox/push/send';
import { sendPush } from '../sandbox/push/send';

const PUSH = 'Push';
const BRANCH = 'pushed';
const KEY = 'a key of the agency, 81c2f0de';

/** An active workflow that leads are pushed to, which polls as well, and posts each lead to a target. */
export class Pushed {
	private leads = 0;

	private constructor(
		private readonly stage: Stage,
		readonly workflow: StoredWorkflow,
		private readonly path: string,
		readonly target: LeadTarget,
	) {}

	static async start(stage: Stage): Promise<Pushed> {
		const target = await LeadTarget.start();
		const client = stage.addClient({ branches: [BRANCH] });
		const poll = agentLeadsTrigger(await stage.saveCredential(client), { runs: 'onePerLead' });
		const push = await pushTrigger(stage);
		// n8n 1 does not know the newest version of the node.
		const post = { ...target.node, typeVersion: 4.2 };
		const draft = chain('Pushed and polled', push, post, poll);
		const toTarget = draft.connections[PUSH];
		if (!toTarget) throw new Error('Nothing follows the push');
		const connections = { [PUSH]: toTarget, [poll.name]: toTarget };
		const workflow = await stage.save({ ...draft, connections });
		await stage.n8n.activate(workflow);
		return new Pushed(stage, workflow, `/webhook/${push.webhookId}/leads`, target);
	}

	/** The ID of a lead that nobody knows yet. */
	newId(): string {
		return `pushed-${++this.leads}`;
	}

	/** @param url of the process of n8n to push to; the main's, if not given */
	async push(id: string, url = this.stage.n8n.url): Promise<PushAnswer> {
		const headers = { Authorization: KEY, 'Content-Type': 'application/json' };
		return await sendPush(`${url}${this.path}`, headers, JSON.stringify({ applicant: { id } }));
	}

	/** Pushes a lead that the service lists as well, and waits until a poll has found it. */
	async pushAndPoll(id: string, url?: string): Promise<PushAnswer> {
		const answer = await this.push(id, url);
		const later = this.newId();
		for (const each of [id, later]) {
			this.stage.sandbox.addLead('applicant', { id: each }, { branchId: BRANCH });
		}
		await this.target.arrival(later);
		return answer;
	}

	/** Twelve pushes at once, and one after them. */
	async pushOften(id: string, url = this.stage.n8n.url): Promise<number[]> {
		const pushes = Array.from({ length: 12 }, async () => await this.push(id, url));
		const answers = await Promise.all(pushes);
		return [...answers, await this.push(id, url)].map(({ status }) => status);
	}

	async stop(): Promise<void> {
		await this.target.stop();
	}
}

async function pushTrigger({ n8n, secrets }: Stage): Promise<NodeInput> {
	const credential = { authentication: 'apiKey', apiKey: KEY };
	secrets.push(KEY);
	return {
		name: PUSH,
		type: 'n8n-nodes-agent-integration.agentLeadsPushTrigger',
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { leadTypes: ['applicant', 'appraisal'], simplify: true },
		credentials: {
			agentLeadsPushApi: await n8n.createCredential('agentLeadsPushApi', 'Push', credential),
		},
	};
}
