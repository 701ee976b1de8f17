import { randomUUID } from 'node:crypto';

import type { N8n } from '../../test/lab/n8n';
import { lockDatabase } from '../../test/lab/n8n/lockedDatabase';
import type { Course } from '../lib/course';
import type { PushFlow } from './flows';
import type { Disturbance, Plan } from './plan';

/** Faults of the service fail activations too. */
const ACTIVATION_TRIES = 8;

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
				for (const { workflow } of this.flows) await this.n8n.deactivate(workflow);
				await this.course.pause(disturbance.ms);
				for (const flow of this.flows) await this.publish(flow);
		}
	}

	private async publishOver(flow: PushFlow): Promise<void> {
		const { workflow } = flow;
		const nodes = workflow.nodes.map((node) => ({ ...node, notes: `changed by ${randomUUID()}` }));
		flow.workflow = await this.n8n.updateWorkflow({ ...workflow, nodes });
		await this.publish(flow);
	}

	/** As a person does, who tries again if the service fails. */
	private async publish({ workflow }: PushFlow): Promise<void> {
		for (let tries = 1; ; tries++) {
			try {
				return await this.n8n.activate(workflow);
			} catch (error) {
				if (tries === ACTIVATION_TRIES) throw error;
				this.course.say(`not published: ${error instanceof Error ? error.message : String(error)}`);
				await this.n8n.deactivate(workflow).catch(() => undefined);
			}
		}
	}
}
