import { randomBytes } from 'node:crypto';

import { HOSTS, startProcess, type Host, type N8nProcess } from '../n8n';
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

interface Stoppable {
	stop(): Promise<void>;
}

/** n8n in queue mode: a main and two workers, each with a folder and a copy of the package of its own. */
export class QueueMode {
	private constructor(
		/** The main, and the sandbox. */
		readonly stage: Stage,
		readonly workers: N8nProcess[],
		/** What a further process needs to join the queue. */
		readonly env: Record<string, string>,
		private readonly started: Stoppable[],
	) {}

	static async start(host: Host): Promise<QueueMode> {
		const started: Stoppable[] = [];
		const keep = async <T extends Stoppable>(starting: Promise<T>): Promise<T> => {
			const each = await starting;
			started.push(each);
			return each;
		};
		try {
			const redis = await keep(startRedis());
			const postgres = await keep(startPostgres());
			const key = { N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex') };
			const env = { ...SETTINGS, ...HOSTS[host], ...redis.env, ...postgres.env, ...key };
			const stage = await keep(Stage.start({ env }));
			const starting = Array.from({ length: WORKERS }, () => keep(startProcess('worker', { env })));
			return new QueueMode(stage, await Promise.all(starting), env, started);
		} catch (error) {
			await stopAll(started);
			throw error;
		}
	}

	async stop(): Promise<void> {
		await stopAll(this.started);
	}
}

/** In the order opposite to their start. */
async function stopAll(started: Stoppable[]): Promise<void> {
	for (const each of started.splice(0).reverse()) await each.stop();
}

/** The executions that a worker has begun, in that order. */
export function startedExecutions(worker: N8nProcess): string[] {
	return [...worker.logs().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id ?? '');
}
