import { randomBytes } from 'node:crypto';

import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';

import {
	chain,
	HOSTS,
	isFinished,
	until,
	type Execution,
	type ExecutionStatus,
	type Host,
	type NodeInput,
	type N8nProcess,
	type StoredWorkflow,
	startProcess,
} from '../lab/n8n';
import {
	agentLeads,
	agentLeadsTrigger,
	APPLICANTS_PATH,
	NODE,
	Pushed,
	TOKEN_PATH,
	TRIGGER,
	Stage,
	type Client,
} from '../lab/n8n/stage';
import { LeadTarget } from '../lab/n8n/leadTarget';
import { startPostgres, startRedis, WORKERS } from '../lab/proof/services';
import { useInAll } from '../lab/standIn';

jest.setTimeout(240_000);

const DEADLINES = { start: 400_000, stop: 120_000 };
const RESCUE_DEADLINE_MS = 30_000;
/** Longer than any test takes: whoever waits for it is killed in the wait. */
const RETRY_AFTER_S = 300;
/** n8n notices that a worker is gone, and at most a minute later the lead is run again. */
const RUNS_DEADLINE_MS = 180_000;
/** With QUEUE_RUNS=both, which takes a minute more, each lead has a run of its own in the durable way, too. */
const HOSTS_OF_RUNS = process.env.QUEUE_RUNS === 'both' ? Object.keys(HOSTS) : ['default'];

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
class QueueMode {
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
function startedExecutions(worker: N8nProcess): string[] {
	return [...worker.logs().matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id ?? '');
}

describe.each(Object.keys(HOSTS) as Host[])('queue mode, progress kept in the %s way', (host) => {
	const queue = useInAll(async () => await QueueMode.start(host), DEADLINES);
	let stage: Stage;
	let leads = 0;

	beforeAll(() => {
		stage = queue.stage;
	});

	/** A lead that the service receives now. */
	function submit(branchId: string): string {
		const id = `${host}-${++leads}`;
		stage.sandbox.addLead('applicant', { id }, { branchId });
		return id;
	}

	it('60 executions at once from cold cost one token per process at most, later ones none', async () => {
		const client = stage.addClient();
		const workflow = await stage.leadsWorkflow(client);
		// Long enough for all executions to be waiting for a token when the first one comes.
		const { clientId } = client;
		const path = TOKEN_PATH;
		stage.sandbox.faults.add({ kind: 'latency', ms: 3_000, path, clientId, times: Infinity });

		const cold = await stage.runTogether(workflow, 60);
		const coldTokens = stage.tokenRequests(client).length;
		const shares = queue.workers.map((worker) => startedExecutions(worker).length);

		const warm = await stage.runTogether(workflow, 60);

		expect([...cold, ...warm].map(({ status }) => status)).toEqual(new Array(120).fill(200));
		expect(shares.reduce((sum, share) => sum + share)).toBe(60);
		for (const share of shares) expect(share).toBeGreaterThan(0);
		expect(coldTokens).toBeLessThanOrEqual(WORKERS);
		expect(stage.tokenRequests(client)).toHaveLength(coldTokens);
	});

	describe('a worker killed while it waits to ask again', () => {
		let killed: N8nProcess | undefined;

		/** Waits until a client is told to wait, and kills the worker of the execution that is told. */
		async function killInWait(workflow: StoredWorkflow, { clientId }: Client): Promise<string> {
			await stage.sandbox.waitForRequest(
				(request) => request.clientId === clientId && request.status === 429,
				{ timeoutMs: 30_000 },
			);
			const [execution] = await stage.n8n.listExecutions(workflow);
			if (!execution) throw new Error('n8n lists no execution');
			killed = queue.workers.find((each) => startedExecutions(each).includes(execution.id));
			if (!killed) throw new Error(`No worker has begun execution ${execution.id}`);
			await killed.kill9();
			return execution.id;
		}

		function makeWait({ clientId }: Client): void {
			const retryAfter = RETRY_AFTER_S;
			stage.sandbox.faults.add({
				kind: 'status',
				status: 429,
				retryAfter,
				path: APPLICANTS_PATH,
				clientId,
			});
		}

		afterEach(async () => {
			await killed?.restart();
		}, DEADLINES.start);

		it('behind the trigger: the failure starts the error workflow, which gets the lead again', async () => {
			const client = stage.addClient({ branches: ['killed'] });
			const credential = await stage.saveCredential(client);
			const rescue = await stage.save(
				chain(`Rescue ${host}`, ERROR_TRIGGER, agentLeads(credential)),
			);
			await stage.n8n.activate(rescue);
			// A client of its own, so that the fault meets the node behind the trigger alone.
			const busy = stage.addClient();
			const waiting = agentLeads(await stage.saveCredential(busy), {
				options: { maxWait: 2 * RETRY_AFTER_S },
			});
			const draft = chain(`Killed ${host}`, agentLeadsTrigger(credential), waiting);
			const settings = { ...draft.settings, errorWorkflow: rescue.id };
			const workflow = await stage.save({ ...draft, settings });
			await stage.n8n.activate(workflow);
			makeWait(busy);

			const lost = submit('killed');
			const id = await killInWait(workflow, busy);
			const later = submit('killed');
			await stage.waitForDelivery(workflow, [later]);

			const execution = await stage.n8n.waitForExecution(id);

			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(/failed to be processed too many times/);
			// n8n drops what the run had: the lead is with the service alone.
			expect(execution.triggerItems(TRIGGER)).toEqual([]);

			const rescued = await until('the error workflow', RESCUE_DEADLINE_MS, async () => {
				const [summary] = await stage.n8n.listExecutions(rescue);
				return summary && isFinished(summary)
					? await stage.n8n.getExecution(summary.id)
					: undefined;
			});

			expect(rescued.status).toBe('success');
			expect(rescued.json(NODE).map((item) => item.id)).toContain(lost);
			expect(await stage.delivered(workflow)).toEqual([later]);

			await stage.n8n.deactivate(workflow);
		});
	});

	if (HOSTS_OF_RUNS.includes(host)) {
		describe('a run for each lead, and again if it fails', () => {
			const target = useInAll(async () => await LeadTarget.start());
			let workflow: StoredWorkflow;
			let client: Client;

			beforeAll(async () => {
				client = stage.addClient({ branches: ['runs'] });
				const parameters = { runs: 'onePerLead', options: { runAgain: 2 } };
				const trigger = agentLeadsTrigger(await stage.saveCredential(client), parameters);
				workflow = await stage.save(chain(`Runs ${host}`, trigger, target.node));
				await stage.n8n.activate(workflow);
			});

			/** Leads whose runs are under way until they are released. */
			async function begin(count: number): Promise<string[]> {
				const ids = Array.from({ length: count }, () => submit('runs'));
				target.hold(...ids);
				await target.arrival(...ids);
				return ids;
			}

			it('whoever is killed, each lead ends in a run that succeeds, and none is started twice', async () => {
				const { workers } = queue;
				const ofWorkers = await begin(3);
				await Promise.all(workers.map(async (worker) => await worker.kill9()));
				target.release(...ofWorkers);
				const inQueue = [submit('runs'), submit('runs')];
				await runsCome('new', inQueue);
				await stage.nextPoll(client);
				await stage.nextPoll(client);
				await Promise.all(workers.map(async (worker) => await worker.restart()));
				await runsCome('success', inQueue);
				await losses(ofWorkers);
				await stage.nextPoll(client);
				// With their start it is stored that the others are to be run again.
				const ofMain = await begin(2);
				await stage.n8n.kill9();
				target.release(...ofMain);
				await stage.n8n.restart();
				await stage.nextPoll(client);

				await runsCome('success', [...inQueue, ...ofWorkers, ...ofMain]);

				for (const id of ofWorkers) expect([id, target.attempts(id)]).toEqual([id, [undefined, 2]]);
				for (const id of [...inQueue, ...ofMain])
					expect([id, target.attempts(id)]).toEqual([id, [undefined]]);

				await stage.n8n.deactivate(workflow);
			}, 400_000);

			/** The executions of these leads. */
			async function runsOf(ids: string[]): Promise<Execution[]> {
				const executions = await stage.n8n.executions(workflow);
				const leadOf = (run: Execution) => run.triggerItems(TRIGGER)[0]?.json.id;
				return ids.flatMap((id) => executions.filter((run) => leadOf(run) === id));
			}

			/** Waits until each of these leads has a run with this status. */
			async function runsCome(wanted: ExecutionStatus, ids: string[]): Promise<void> {
				await until(`${ids.join(', ')}: ${wanted}`, RUNS_DEADLINE_MS, async () => {
					const runs = (await runsOf(ids)).filter(({ status }) => status === wanted);
					return runs.length === ids.length || undefined;
				});
			}

			/** Waits until the main knows that the runs of these leads were lost: what n8n lists may say so earlier. */
			async function losses(ids: string[]): Promise<void> {
				const lost = (await runsOf(ids)).map(({ id }) => `Problem with execution ${id}: `);
				await until(`the loss of ${ids.join(', ')}`, RUNS_DEADLINE_MS, async () => {
					const logs = stage.n8n.logs();
					return await Promise.resolve(lost.every((line) => logs.includes(line)) || undefined);
				});
			}
		});
	}

	describe('a pushed lead', () => {
		const pushed = useInAll(async () => await Pushed.start(stage), DEADLINES);

		it('is answered once a worker has begun its run, which is the only one', async () => {
			const [held, polled] = [pushed.newId(), pushed.newId()];
			pushed.target.hold(held);

			const statuses = await pushed.pushOften(held);
			pushed.target.release(held);
			const { status } = await pushed.pushAndPoll(polled);

			expect(new Set([...statuses, status])).toEqual(new Set([200]));
			for (const id of [held, polled]) expect(pushed.target.attempts(id)).toHaveLength(1);
		});

		it('is left to the main by a process that starts no triggers', async () => {
			const webhooks = await startProcess('webhook', { env: queue.env });
			const id = pushed.newId();

			const elsewhere = await pushed.push(id, webhooks.url);
			const again = await pushed.push(id);
			await webhooks.stop();

			expect(elsewhere).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
			expect(again.status).toBe(200);
			await pushed.target.arrival(id);
			expect(pushed.target.attempts(id)).toHaveLength(1);
			await stage.n8n.deactivate(pushed.workflow);
		});
	});

	it('nothing that the main, the workers or an execution has kept or printed holds a secret or a token', async () => {
		const logs = queue.workers.map((worker) => worker.logs()).join('\n');
		expect(logs).toMatch(/debug/);
		expect(stage.leaks(logs)).toEqual([]);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});

const ERROR_TRIGGER: NodeInput = { name: 'Error Trigger', type: 'n8n-nodes-base.errorTrigger' };
