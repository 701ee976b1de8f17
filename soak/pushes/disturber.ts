import { randomUUID } from 'node:crypto';

import type { N8n, StoredWorkflow } from '../../test/lab/n8n';
import { lockDatabase } from '../../test/lab/n8n/lockedDatabase';
import type { Course } from '../lib/course';
import type { PushFlow } from './flows';
import type { Disturbance, Plan } from './plan';

/** Faults of the service fail a publication, and after its database was locked n8n refuses for some moments. */
const TRIES = 15;
const PAUSE_MS = 1_000;

/** Does to n8n what a plan says. */
export class Disturber {
	kills = 0;

	constructor(
		private readonly course: Course,
		private readonly n8n: N8n,
		private readonly flows: PushFlow[],
	) {}

	async disturbAll(disturbances: Plan['disturbances']): Promise<void> {
		for (const { pause, ...disturbance } of disturbances) {
			await this.course.pause(pause);
			this.course.say(JSON.stringify(disturbance));
			await this.disturb(disturbance);
		}
	}

	private async disturb(disturbance: Disturbance): Promise<void> {
		switch (disturbance.what) {
			case 'kill':
				this.kills += 1;
				await this.n8n.kill9();
				return await this.n8n.restart();
			case 'lock':
				return await lockDatabase(this.n8n.userFolder, disturbance.ms);
			case 'over':
				for (const flow of this.flows) await this.publishOver(flow);
				return;
			case 'unpublish':
				for (const { workflow } of this.flows) await this.unpublish(workflow);
				await this.course.pause(disturbance.ms);
				for (const { workflow } of this.flows) await this.publish(workflow);
		}
	}

	private async publishOver(flow: PushFlow): Promise<void> {
		const { workflow } = flow;
		const nodes = workflow.nodes.map((node) => ({ ...node, notes: `changed by ${randomUUID()}` }));
		flow.workflow = await this.insist(
			async () => await this.n8n.updateWorkflow({ ...workflow, nodes }),
		);
		await this.publish(flow.workflow);
	}

	private async unpublish(workflow: StoredWorkflow): Promise<void> {
		await this.insist(async () => await this.n8n.deactivate(workflow));
	}

	private async publish(workflow: StoredWorkflow): Promise<void> {
		await this.insist(async () => await this.n8n.activate(workflow));
	}

	/** As a person does, who tries again. */
	private async insist<T>(act: () => Promise<T>): Promise<T> {
		for (let tries = 1; ; tries++) {
			try {
				return await act();
			} catch (error) {
				if (tries === TRIES) throw error;
				this.course.say(error instanceof Error ? error.message : String(error));
				await this.course.pause(PAUSE_MS);
			}
		}
	}
}
