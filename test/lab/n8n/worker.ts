import type { N8nProcess } from './process';
import { processFor, type N8nOptions } from './processFor';

/** A worker of a queue: it runs what a main hands out. */
export class Worker {
	private constructor(
		private readonly process: N8nProcess,
		private readonly remove: () => void,
	) {}

	static async start(options: N8nOptions = {}): Promise<Worker> {
		const { process, remove } = await processFor('worker', options);
		await process.start();
		return new Worker(process, remove);
	}

	logs(): string {
		return this.process.logs();
	}

	/** The executions that this worker has begun, in that order. */
	startedExecutions(): string[] {
		return [...this.logs().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id ?? '');
	}

	async kill9(): Promise<void> {
		await this.process.kill9();
	}

	async restart(): Promise<void> {
		await this.process.stop();
		await this.process.start();
	}

	async stop(): Promise<void> {
		await this.process.stop();
		this.remove();
	}
}
