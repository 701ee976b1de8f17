import { randomBytes } from 'node:crypto';

import { HOSTS, Worker, type Host } from '../n8n';
import { Stage } from '../n8n/stage';
import { startPostgres, startRedis } from './services';

export const WORKERS = 2;

const SETTINGS = {
	EXECUTIONS_MODE: 'queue',
	// Enough for all executions of a test to run at once.
	N8N_CONCURRENCY_PRODUCTION_LIMIT: '30',
	// So that a killed worker is noticed within seconds; with n8n's defaults it takes up to a minute and a half.
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2500',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
	N8N_LOG_LEVEL: 'debug',
};

/** n8n in queue mode: a main and two workers, each with a folder and a copy of the package of its own. */
export class QueueMode {
	/** All that has to be stopped, in the order in which it was started. */
	private readonly started: Array<{ stop(): Promise<void> }> = [];
	readonly workers: Worker[] = [];
	private main: Stage | undefined;
	/** What a further process needs to join the queue. */
	env: Record<string, string> = {};

	static async start(host: Host): Promise<QueueMode> {
		const queue = new QueueMode();
		try {
			await queue.startAll(host);
			return queue;
		} catch (error) {
			await queue.stop();
			throw error;
		}
	}

	private async startAll(host: Host): Promise<void> {
		const redis = await this.keep(startRedis());
		const postgres = await this.keep(startPostgres());
		this.env = {
			...SETTINGS,
			...HOSTS[host],
			...redis.env,
			...postgres.env,
			N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
		};
		this.main = await this.keep(Stage.start({ env: this.env }));
		const starting = Array.from({ length: WORKERS }, () =>
			this.keep(Worker.start({ env: this.env })),
		);
		this.workers.push(...(await Promise.all(starting)));
	}

	private async keep<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
		const each = await starting;
		this.started.push(each);
		return each;
	}

	/** The main, and the sandbox. */
	get stage(): Stage {
		if (!this.main) throw new Error('The main has not started');
		return this.main;
	}

	/** The worker that an execution was handed to last. */
	workerOf(executionId: string): Worker {
		const worker = this.workers.find((each) => each.startedExecutions().includes(executionId));
		if (!worker) throw new Error(`No worker has begun execution ${executionId}`);
		return worker;
	}

	/** All that the main and the workers have printed. */
	logs(): string {
		return [this.stage.n8n, ...this.workers].map((process) => process.logs()).join('\n');
	}

	async stop(): Promise<void> {
		for (const each of this.started.splice(0).reverse()) await each.stop();
	}
}
