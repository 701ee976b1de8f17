import { setTimeout as sleep } from 'node:timers/promises';

import { SECOND_MS } from '../../service/basics/times';
import type { Host } from '../../test/lab/n8n';

/** The time of a run: it counts from the activation of the workflows, and an abort ends it. */
export class Course {
	private begunAt: number | undefined;

	constructor(
		readonly host: Host,
		private readonly signal: AbortSignal,
	) {}

	begin(): void {
		this.begunAt = Date.now();
	}

	/** When the workflows were activated, in epoch milliseconds. */
	get activatedAt(): number {
		if (this.begunAt === undefined) throw new Error('Nothing is active yet');
		return this.begunAt;
	}

	/** @param at in milliseconds after the activation */
	async waitUntil(at: number): Promise<void> {
		await this.pause(Math.max(0, this.activatedAt + at - Date.now()));
	}

	async pause(ms: number): Promise<void> {
		await sleep(ms, undefined, { signal: this.signal });
	}

	say(what: string): void {
		const seconds = Math.round((Date.now() - this.activatedAt) / SECOND_MS);
		console.log(`${this.host}, ${seconds} s: ${what}`);
	}
}
