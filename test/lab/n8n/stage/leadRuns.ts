import { randomUUID } from 'node:crypto';

import { stateOf } from '../database';
import type { Execution, ExecutionStatus } from '../execution';
import { LeadTarget } from '../leadTarget';
import { until } from '../waiting';
import { startedByEach, type NodeInput, type StoredWorkflow } from '../workflow';
import { agentLeadsTrigger, TRIGGER } from './nodes';
import type { Client } from './service';
import { Stage } from './stage';

/** A run that failed is followed by the next one after a minute. */
const RUNS_DEADLINE_MS = 180_000;
const TWIN = 'Second Trigger';

interface LeadsWorkflow {
	client: Client;
	stored: StoredWorkflow;
}

/** A stage with workflows that run for each lead; each workflow has a branch, named like it, to itself. */
export class LeadRuns {
	private readonly workflows = new Map<string, LeadsWorkflow>();
	/** The runs that each lead shall have, by how they ended. */
	private readonly owed = new Map<string, ExecutionStatus[]>();
	private leads = 0;

	private constructor(
		readonly stage: Stage,
		readonly target: LeadTarget,
	) {}

	static async start(env: Record<string, string>): Promise<LeadRuns> {
		const target = await LeadTarget.start();
		return new LeadRuns(await Stage.start({ env }), target);
	}

	async stop(): Promise<void> {
		await this.stage.stop();
		await this.target.stop();
	}

	/**
	 * Publishes a workflow that sends each lead to the target, unless another node is to follow the trigger.
	 *
	 * @param isTwin with a second trigger that gets the same leads
	 */
	async publish(branch: string, { runAgain = 0, isTwin = false, next = this.target.node } = {}) {
		const { stage } = this;
		const client = stage.addClient({ branches: [branch] });
		const credential = await stage.saveCredential(client);
		const trigger = agentLeadsTrigger(credential, { runs: 'onePerLead', options: { runAgain } });
		const triggers = isTwin ? [trigger, { ...trigger, name: TWIN }] : [trigger];
		const stored = await stage.save(startedByEach(branch, triggers, next));
		await stage.n8n.activate(stored);
		this.workflows.set(branch, { client, stored });
	}

	/**
	 * Unpublishes a workflow, and publishes it again a moment later.
	 *
	 * @returns the id of a lead that comes in between
	 */
	async publishAgain(branch: string): Promise<string> {
		const { stored } = this.workflow(branch);
		await this.stage.n8n.deactivate(stored);
		const id = this.submit(branch);
		await this.stage.n8n.activate(stored);
		return id;
	}

	/**
	 * Changes a published workflow, and publishes it over the one before.
	 *
	 * @param next in place of the node of that name
	 */
	async publishOver(branch: string, next?: NodeInput): Promise<void> {
		const { n8n } = this.stage;
		const { stored } = this.workflow(branch);
		const nodes = stored.nodes.map((node) => ({
			...node,
			...(node.name === next?.name && { credentials: {}, ...next }),
			notes: `changed by ${randomUUID()}`,
		}));
		await n8n.activate(await n8n.updateWorkflow({ ...stored, nodes }));
	}

	/** A lead that the service receives now, for the workflow with this branch. */
	submit(branch: string, { refusals = 0, isHeld = false } = {}): string {
		const id = `${branch} ${++this.leads}`;
		this.target.refuse(id, refusals);
		if (isHeld) this.target.hold(id);
		const kind = this.leads % 2 === 0 ? 'applicant' : 'appraisal';
		this.stage.sandbox.addLead(kind, { id }, { branchId: branch });
		return id;
	}

	/** All executions of a workflow, oldest first. */
	async executions(branch: string): Promise<Execution[]> {
		return await this.stage.n8n.executions(this.workflow(branch).stored);
	}

	/** What n8n has stored of the progress of a workflow's trigger, as JSON. */
	async progress(branch: string): Promise<string> {
		return await stateOf(this.stage.n8n.userFolder, this.workflow(branch).stored);
	}

	/** The executions of a lead, oldest first. */
	private async runsOf(id: string): Promise<Execution[]> {
		const executions = await this.executions(id.slice(0, id.lastIndexOf(' ')));
		return executions.filter((run) =>
			[TRIGGER, TWIN].some((name) => run.triggerItems(name).some(({ json }) => json.id === id)),
		);
	}

	/** Waits until the runs of a lead have come to this. It shall have no more of them. */
	async waitFor(id: string, ...statuses: ExecutionStatus[]): Promise<Execution[]> {
		this.owed.set(id, statuses);
		let found = '';
		const runs = until(`${id} to be ${statuses.join()}`, RUNS_DEADLINE_MS, async () => {
			const executions = await this.runsOf(id);
			found = statusesOf(executions);
			return found === statuses.join() && executions;
		});
		return await runs.catch((error: unknown) => {
			throw new Error(`${String(error)}. Found: ${found || 'none'}`);
		});
	}

	/** Waits for two polls of a workflow that begin from now on: what the first one found has been handed on. */
	async twoPolls(branch: string): Promise<void> {
		const { client } = this.workflow(branch);
		for (let poll = 0; poll < 2; poll++) await this.stage.nextPoll(client);
	}

	/** The leads whose runs are not those that they shall have, with what they had. */
	async oddLeads(): Promise<string[]> {
		const odd: string[] = [];
		for (const [id, statuses] of this.owed) {
			const found = statusesOf(await this.runsOf(id));
			if (found !== statuses.join()) odd.push(`${id}: ${found}`);
		}
		return odd;
	}

	private workflow(branch: string): LeadsWorkflow {
		const workflow = this.workflows.get(branch);
		if (!workflow) throw new Error(`No workflow for ${branch}`);
		return workflow;
	}
}

function statusesOf(executions: Execution[]): string {
	return executions.map(({ status }) => status).join();
}
