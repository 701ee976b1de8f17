import { randomUUID } from 'node:crypto';
import { once, type EventEmitter } from 'node:events';

import { SECOND_MS } from '../service/basics/times';
import type { N8n } from '../test/lab/n8n';
import { lockDatabase } from '../test/lab/n8n/database';
import type { Disturbance } from './plan';
import type { Course, Flow } from './play';

const NEWS_DEADLINE_MS = 12 * SECOND_MS;
/** Faults of the service fail a publication, and after its database was locked n8n refuses for some moments. */
const TRIES = 15;
const PAUSE_MS = 1_000;

/** In epoch milliseconds. */
export interface Span {
	from: number;
	to: number;
}

/** Does to n8n what a plan says. */
export class Disturber {
	/** When n8n was killed, in epoch milliseconds. */
	readonly kills: number[] = [];
	/** When nothing was asked, or may not have been. */
	readonly absences: Span[] = [];

	constructor(
		private readonly course: Course,
		private readonly n8n: N8n,
		/** Emits `news` when the service has answered with what may be new. */
		private readonly answers: EventEmitter,
		private readonly flows: Flow[],
	) {}

	/** One after the other, each when the plan says. */
	async disturbAll(disturbances: Disturbance[]): Promise<void> {
		for (const disturbance of disturbances) {
			await this.course.waitUntil(disturbance.at);
			if (disturbance.atAnswer) await this.news();
			await this.course.pause(disturbance.delay);
			this.course.say(JSON.stringify(disturbance));
			const from = Date.now();
			await this.disturb(disturbance);
			this.absences.push({ from, to: Date.now() });
		}
	}

	private async disturb({ what, ms }: Disturbance): Promise<void> {
		switch (what) {
			case 'kill':
				await this.n8n.kill9();
				this.kills.push(Date.now());
				return await this.n8n.restart();
			case 'lock':
				return await lockDatabase(this.n8n.userFolder, ms);
			case 'over':
				for (const flow of this.flows) await this.publishOver(flow);
				return;
			case 'unpublish':
				for (const { workflow } of this.flows)
					await this.insist(async () => await this.n8n.deactivate(workflow));
				await this.course.pause(ms);
				for (const flow of this.flows) await this.publish(flow);
		}
	}

	private async publishOver(flow: Flow): Promise<void> {
		const { workflow } = flow;
		const nodes = workflow.nodes.map((node) => ({ ...node, notes: `changed by ${randomUUID()}` }));
		const changed = { ...workflow, nodes };
		flow.workflow = await this.insist(async () => await this.n8n.updateWorkflow(changed));
		await this.publish(flow);
	}

	private async publish({ workflow }: Flow): Promise<void> {
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

	private async news(): Promise<void> {
		const signal = AbortSignal.timeout(NEWS_DEADLINE_MS);
		await once(this.answers, 'news', { signal }).catch(() => undefined);
	}
}
