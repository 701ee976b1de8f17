import { randomBytes } from 'node:crypto';

import { HOSTS, Worker, type Host } from '../e2e/harness';
import { Stage } from '../e2e/stage';
import { startPostgres, startRedis, type Service } from './services';

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
	private constructor(
		/** The main, and the sandbox. */
		readonly stage: Stage,
		readonly workers: Worker[],
		private readonly services: Service[],
	) {}

	static async start(host: Host): Promise<QueueMode> {
		const [redis, postgres] = await Promise.all([startRedis(), startPostgres()]);
		const env = {
			...SETTINGS,
			...HOSTS[host],
			...redis.env,
			...postgres.env,
			N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
		};
		const stage = await Stage.start({ env });
		const starting = Array.from({ length: WORKERS }, async () => await Worker.start({ env }));
		return new QueueMode(stage, await Promise.all(starting), [redis, postgres]);
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
		await Promise.all(this.workers.map(async (worker) => await worker.stop()));
		await this.stage.stop();
		await Promise.all(this.services.map(async (service) => await service.stop()));
	}
}
