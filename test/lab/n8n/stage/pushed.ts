import { send } from '../../send';
import { LeadTarget } from '../leadTarget';
import { startedByEach, type StoredWorkflow } from '../workflow';
import { agentLeadsPushTrigger, agentLeadsTrigger, type NodeParameters } from './nodes';
import type { Stage } from './stage';

export const PUSH_KEY = 'a key of the agency, 81c2f0de';
const BRANCH = 'pushed';

/** An active workflow that leads are pushed to, which polls as well, and posts each lead to a target. */
export class Pushed {
	private leads = 0;

	private constructor(
		readonly stage: Stage,
		readonly workflow: StoredWorkflow,
		private readonly path: string,
		readonly target: LeadTarget,
	) {}

	static async start(stage: Stage, options: NodeParameters = {}): Promise<Pushed> {
		const target = await LeadTarget.start();
		const polled = await stage.saveCredential(stage.addClient({ branches: [BRANCH] }));
		const key = { authentication: 'apiKey', apiKey: PUSH_KEY };
		const pushed = await stage.n8n.createCredential('agentLeadsPushApi', 'Push', key);
		stage.secrets.push(PUSH_KEY);
		const push = agentLeadsPushTrigger(pushed);
		const poll = agentLeadsTrigger(polled, { runs: 'onePerLead', options });
		const workflow = await stage.save(startedByEach('Both', [push, poll], target.node));
		await stage.n8n.activate(workflow);
		return new Pushed(stage, workflow, `/webhook/${push.webhookId}/leads`, target);
	}

	/** The ID of a lead that nobody knows yet. */
	newId(): string {
		return `pushed-${++this.leads}`;
	}

	/** A lead that the service lists. */
	list(id: string): void {
		this.stage.sandbox.addLead('applicant', { id }, { branchId: BRANCH });
	}

	/** @param url of the process of n8n to push to; the main's, if not given */
	async push(id: string, url = this.stage.n8n.url, key = PUSH_KEY) {
		return await send(`${url}${this.path}`, 'POST', { applicant: { id } }, { Authorization: key });
	}

	/** Pushes a lead that the service lists as well, and waits until a poll has found it. */
	async pushAndPoll(id: string) {
		const answer = await this.push(id);
		const later = this.newId();
		for (const each of [id, later]) this.list(each);
		await this.target.arrival(later);
		return answer;
	}

	/** Twelve pushes at once, and one after them. */
	async pushOften(id: string): Promise<number[]> {
		const pushes = Array.from({ length: 12 }, async () => await this.push(id));
		const answers = await Promise.all(pushes);
		return [...answers, await this.push(id)].map(({ status }) => status);
	}

	async stop(): Promise<void> {
		await this.target.stop();
	}
}
