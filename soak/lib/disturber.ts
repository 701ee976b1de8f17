import { once, type EventEmitter } from 'node:events';

import { SECOND_MS } from '../../service/basics/times';
import type { N8n, StoredWorkflow } from '../../test/lab/n8n';
import type { Course } from './course';
import type { Disturbance } from './plan';

const NEWS_DEADLINE_MS = 12 * SECOND_MS;
const ACTIVATION_TRIES = 5;

/** In epoch milliseconds. */
export interface Span {
	from: number;
	to: number;
}

/** Kills n8n and starts it again, deactivates the workflows and re-activates them. */
export class Disturber {
	/** When n8n was killed, in epoch milliseconds. */
	readonly kills: number[] = [];
	/** When nothing was asked: n8n was down, or the workflows were deactivated. */
	readonly absences: Span[] = [];
	reactivations = 0;

	constructor(
		private readonly course: Course,
		private readonly n8n: N8n,
		/** Emits `news` when the service has answered with what n8n was not sent before. */
		private readonly answers: EventEmitter,
	) {}

	/** One after the other, each when the plan says. */
	async disturbAll(disturbances: Disturbance[], workflows: StoredWorkflow[]): Promise<void> {
		for (const { what, at, atAnswer, delay, pause } of disturbances) {
			await this.course.waitUntil(at);
			if (atAnswer) await this.news();
			await this.course.pause(delay);
			const from = Date.now();
			if (what === 'kill') await this.kill();
			else await this.reactivate(workflows, pause);
			this.absences.push({ from, to: Date.now() });
		}
	}

	private async kill(): Promise<void> {
		await this.n8n.kill9();
		this.kills.push(Date.now());
		this.course.say(`kill -9 (${this.kills.length})`);
		await this.n8n.restart();
	}

	/** @param pause in milliseconds */
	private async reactivate(workflows: StoredWorkflow[], pause: number): Promise<void> {
		for (const workflow of workflows) await this.n8n.deactivate(workflow);
		await this.course.pause(pause);
		for (const workflow of workflows) await this.activate(workflow);
		this.reactivations += 1;
		this.course.say(`de- and re-activated (${this.reactivations})`);
	}

	/** The faults may last for longer than an activation tries, as for a user who then tries again. */
	private async activate(workflow: StoredWorkflow): Promise<void> {
		for (let tries = 1; ; tries++) {
			try {
				return await this.n8n.activate(workflow);
			} catch (error) {
				if (tries === ACTIVATION_TRIES) throw error;
				const reason = error instanceof Error ? error.message : String(error);
				this.course.say(`activation failed: ${reason}`);
				await this.n8n.deactivate(workflow);
			}
		}
	}

	/** Waits for the next answer with something new, but not for long. */
	private async news(): Promise<void> {
		const end = new AbortController();
		const news = once(this.answers, 'news', { signal: end.signal }).catch(() => undefined);
		await Promise.race([news, this.course.pause(NEWS_DEADLINE_MS)]);
		end.abort();
	}
}
