import type { N8nProcess } from './process';
import { processFor, type N8nOptions } from './processFor';

/** A process of n8n's queue mode that takes calls of webhooks, and starts no triggers. */
export class WebhookProcess {
	private constructor(
		private readonly process: N8nProcess,
		private readonly remove: () => void,
	) {}

	static async start(options: N8nOptions = {}): Promise<WebhookProcess> {
		const { process, remove } = await processFor('webhook', options);
		await process.start();
		return new WebhookProcess(process, remove);
	}

	get url(): string {
		return this.process.url;
	}

	logs(): string {
		return this.process.logs();
	}

	async stop(): Promise<void> {
		await this.process.stop();
		this.remove();
	}
}
