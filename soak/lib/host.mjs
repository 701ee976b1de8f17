// @ts-check
// One soak run: a real n8n in one of its host modes, a service full of faults, kills and re-activations.
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

import { AnswerLog } from './answers.mjs';
import { interruptedBy, reckon } from './ledger.mjs';
import { BRANCHES, faults, planOf } from './plan.mjs';

/**
 * @typedef {import('../../test/lab/n8n/index.js')} Harness
 * @typedef {import('../../test/lab/n8n/index.js').Host} Host
 * @typedef {import('../../test/lab/n8n/index.js').N8n} N8n
 * @typedef {import('../../test/lab/n8n/index.js').StoredWorkflow} StoredWorkflow
 * @typedef {import('../../test/lab/sandbox/index.js').Sandbox} Sandbox
 * @typedef {import('./plan.mjs').PlannedLead} PlannedLead
 *
 * @typedef {object} Settings
 * @property {Harness} harness
 * @property {Host} host
 * @property {number} seed
 * @property {number} durationMs
 * @property {AbortSignal} signal ends the run early, with an error
 *
 * @typedef {object} Flow a workflow, and which leads it is for
 * @property {string} title
 * @property {import('n8n-workflow').INodeParameters} parameters of the trigger
 * @property {boolean} byBranch
 * @property {import('../../test/lab/sandbox/types.js').Client} client
 *
 * @typedef {object} FlowFigures
 * @property {string} title
 * @property {import('./ledger.mjs').Ledger} ledger
 * @property {number} polls
 * @property {number} quietPolls polls after the last fault and the last lead
 * @property {Array<{ killedAt: string, msAfter: number[] }>} killsAtHandOver right after polls had handed leads to n8n
 *
 * @typedef {object} Figures
 * @property {Host} host
 * @property {FlowFigures[]} flows
 * @property {number} submitted
 * @property {number} earlier leads that were there before the activation
 * @property {number} dataRequests
 * @property {number} tokenRequests
 * @property {number} kills
 * @property {number} reactivations
 * @property {Record<string, number>} faultsFired
 */

const { Sandbox: SandboxService } = createRequire(import.meta.url)('../../test/lab/sandbox');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const TRIGGER = 'Agent Leads Trigger';
const EARLIER_LEADS = 20;
const TOKEN_LIFETIME_S = 20;
const NEWS_DEADLINE_MS = 12 * SECOND;
const QUIET_DEADLINE_MS = 90 * SECOND;
const QUIET_POLLS = 3;
const ACTIVATION_TRIES = 5;

/** What n8n logs when a poll has handed it leads. */
const HANDED_OVER = 'Received event to trigger execution for workflow';

/**
 * @param {Settings} settings
 * @returns {Promise<Figures>}
 */
export async function soak(settings) {
	const { harness, host, seed, signal } = settings;
	const sandbox = await SandboxService.start({ seed });
	try {
		const n8n = await harness.N8n.start({
			env: { ...harness.HOSTS[host], N8N_LOG_LEVEL: 'debug', N8N_LOG_FORMAT: 'json' },
		});
		try {
			return await Promise.race([new Run(settings, sandbox, n8n).figures(), aborted(signal)]);
		} catch (error) {
			signal.throwIfAborted();
			throw error;
		} finally {
			await n8n.kill9();
			await n8n.stop();
		}
	} finally {
		await sandbox.stop();
	}
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
async function aborted(signal) {
	await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
	throw signal.reason;
}

class Run {
	/**
	 * @param {Settings} settings
	 * @param {Sandbox} sandbox
	 * @param {N8n} n8n
	 */
	constructor(settings, sandbox, n8n) {
		this.settings = settings;
		this.sandbox = sandbox;
		this.n8n = n8n;
		this.answers = new AnswerLog(sandbox);
		this.plan = planOf(settings.seed, settings.durationMs, settings.host);
		this.activatedAt = 0;
		/** @type {Map<Flow, StoredWorkflow>} */
		this.workflows = new Map();
		/** @type {string[]} */
		this.earlier = [];
		/** @type {string[]} */
		this.submitted = [];
		/** @type {number[]} */
		this.kills = [];
		this.reactivations = 0;
	}

	/** @returns {Promise<Figures>} */
	async figures() {
		const { sandbox, settings } = this;
		this.#submitEarlier();
		for (const flow of this.#flows()) this.workflows.set(flow, await this.#workflow(flow));
		for (const workflow of this.workflows.values()) await this.n8n.activate(workflow);
		this.activatedAt = Date.now();
		this.#say(`active, ${this.plan.leads.length} leads to come`);

		for (const rule of faults()) sandbox.faults.add(rule);
		await Promise.all([this.#submitAll(), this.#disturbAll()]);
		const faultsFired = firedOf(sandbox);
		sandbox.faults.clear();
		this.#say('all submitted, no more faults');

		const quietSince = Date.now();
		await this.#quiet(quietSince);
		const flows = [];
		for (const flow of this.workflows.keys()) flows.push(await this.#flowFigures(flow, quietSince));
		return {
			host: settings.host,
			flows,
			submitted: this.submitted.length,
			earlier: this.earlier.length,
			dataRequests: sandbox.counts.dataRequests,
			tokenRequests: sum(Object.values(sandbox.counts.tokenRequests)),
			kills: this.kills.length,
			reactivations: this.reactivations,
			faultsFired,
		};
	}

	/** Two that get every lead, in different ways. */
	#flows() {
		const { sandbox } = this;
		const all = sandbox.updateClient(sandbox.leadsClient.clientId, {
			tokenLifetime: TOKEN_LIFETIME_S,
		});
		const branches = sandbox.addClient({
			integration: 'leads',
			clientId: 'branches-client',
			clientSecret: 'branches-secret',
			branches: BRANCHES,
			tokenLifetime: TOKEN_LIFETIME_S,
		});
		/** @type {Flow[]} */
		const flows = [
			{ title: 'all leads', parameters: { filterBy: 'none' }, byBranch: false, client: all },
			{
				title: 'by branch',
				parameters: { filterBy: 'branch', filterId: BRANCHES.join(', ') },
				byBranch: true,
				client: branches,
			},
		];
		return flows;
	}

	/**
	 * @param {Flow} flow
	 * @param {number} quietSince epoch milliseconds
	 * @returns {Promise<FlowFigures>}
	 */
	async #flowFigures(flow, quietSince) {
		const { kills, submitted, earlier, sandbox } = this;
		const handOvers = handOversIn(this.n8n.logs(), flow.title);
		const ledger = reckon({
			host: this.settings.host,
			trigger: TRIGGER,
			submitted,
			earlier,
			executions: await this.#executions(flow),
			kills,
			handOvers,
			answeredAt: (id) => this.answers.first(id, flow.byBranch)?.sentAt,
		});
		return {
			title: flow.title,
			ledger,
			polls: pollsIn(sandbox, flow, 0),
			quietPolls: pollsIn(sandbox, flow, quietSince),
			killsAtHandOver: kills
				.map((kill) => ({
					killedAt: new Date(kill).toISOString(),
					msAfter: interruptedBy(kill, handOvers).map((at) => kill - at),
				}))
				.filter(({ msAfter }) => msAfter.length > 0),
		};
	}

	/** @param {Flow} flow */
	async #executions(flow) {
		const workflow = this.workflows.get(flow);
		return workflow ? await this.n8n.executions(workflow) : [];
	}

	/** Leads of the last day, but for those minutes in which somebody may already have published. */
	#submitEarlier() {
		const now = Date.now() - 2 * MINUTE;
		for (let index = 0; index < EARLIER_LEADS; index++) {
			const id = `earlier-${index + 1}`;
			const receivedAt = now - (index * 23 * HOUR) / EARLIER_LEADS;
			const kind = index % 2 === 0 ? 'applicant' : 'appraisal';
			const branchId = BRANCHES[index % 3 === 0 ? 0 : 1];
			const createdAt = isoSeconds(receivedAt);
			this.sandbox.addLead(kind, { id, createdAt }, { receivedAt, branchId });
			this.earlier.push(id);
		}
	}

	/** @param {Flow} flow */
	async #workflow({ title, parameters, client }) {
		const { sandbox, n8n } = this;
		const { chain, EVERY_FIVE_SECONDS } = this.settings.harness;
		const { clientId, clientSecret } = client;
		const credential = await n8n.createCredential('agentLeadsApi', title, {
			clientId,
			clientSecret,
			authUrl: sandbox.authUrl,
			leadsUrl: sandbox.leadsUrl,
		});
		const workflow = chain(
			title,
			{
				name: TRIGGER,
				type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
				parameters: {
					pollTimes: EVERY_FIVE_SECONDS,
					leadTypes: ['applicant', 'appraisal'],
					...parameters,
					simplify: true,
					startFrom: 'activation',
					options: {},
				},
				credentials: { agentLeadsApi: credential },
			},
			{ name: 'No Operation', type: 'n8n-nodes-base.noOp' },
		);
		return await n8n.createWorkflow({
			...workflow,
			settings: {
				...workflow.settings,
				saveDataSuccessExecution: 'all',
				saveDataErrorExecution: 'all',
				saveExecutionProgress: true,
			},
		});
	}

	async #submitAll() {
		for (const lead of this.plan.leads) {
			await this.#waitUntil(lead.at);
			this.#submit(lead);
		}
	}

	/** @param {PlannedLead} lead */
	#submit({ id, kind, branchId, dating, shift }) {
		const receivedAt = Date.now();
		// Late, but not from before the activation: such a lead would not have to be delivered.
		const late = Math.max(receivedAt - shift, this.activatedAt + SECOND);
		const createdAt = {
			now: isoSeconds(receivedAt),
			late: isoSeconds(Math.min(late, receivedAt)),
			minutes: isoMinutes(receivedAt),
			unset: '0001-01-01T00:00Z',
			future: isoSeconds(receivedAt + shift),
		}[dating];
		this.sandbox.addLead(kind, { id, createdAt }, { receivedAt, branchId });
		this.submitted.push(id);
	}

	async #disturbAll() {
		for (const disturbance of this.plan.disturbances) {
			await this.#waitUntil(disturbance.at);
			if (disturbance.atAnswer) await this.#news();
			await sleep(disturbance.delay, undefined, { signal: this.settings.signal });
			if (disturbance.what === 'kill') await this.#kill();
			else await this.#reactivate(disturbance.pause);
		}
	}

	async #kill() {
		const { n8n } = this;
		await n8n.kill9();
		this.kills.push(Date.now());
		this.#say(`kill -9 (${this.kills.length})`);
		await n8n.restart();
	}

	/** @param {number} pause in milliseconds */
	async #reactivate(pause) {
		const workflows = [...this.workflows.values()];
		for (const workflow of workflows) await this.n8n.deactivate(workflow);
		await sleep(pause, undefined, { signal: this.settings.signal });
		for (const workflow of workflows) await this.#activate(workflow);
		this.reactivations += 1;
		this.#say(`de- and re-activated (${this.reactivations})`);
	}

	/**
	 * The faults may last for longer than an activation tries, as for a user who then tries again.
	 *
	 * @param {StoredWorkflow} workflow
	 */
	async #activate(workflow) {
		for (let tries = 1; ; tries++) {
			try {
				return await this.n8n.activate(workflow);
			} catch (error) {
				if (tries === ACTIVATION_TRIES) throw error;
				this.#say(`activation failed: ${error instanceof Error ? error.message : String(error)}`);
				await this.n8n.deactivate(workflow);
			}
		}
	}

	/** The next answer with a lead that n8n has not been sent yet; or none for a while. */
	async #news() {
		const { answers, settings } = this;
		await new Promise((resolve) => {
			const done = () => {
				clearTimeout(timer);
				answers.off('news', done);
				settings.signal.removeEventListener('abort', done);
				resolve(undefined);
			};
			const timer = setTimeout(done, NEWS_DEADLINE_MS);
			answers.once('news', done);
			settings.signal.addEventListener('abort', done);
		});
	}

	/**
	 * Waits until every lead has arrived and some more polls have had the chance to repeat one.
	 *
	 * @param {number} since epoch milliseconds
	 */
	async #quiet(since) {
		const flows = [...this.workflows.keys()];
		let complete = Infinity;
		for (let now = since; now - since < QUIET_DEADLINE_MS; now = Date.now()) {
			if (complete === Infinity && (await this.#isComplete())) complete = now;
			const polls = flows.map((flow) => pollsIn(this.sandbox, flow, complete));
			if (Math.min(...polls) >= QUIET_POLLS) return;
			await sleep(SECOND, undefined, { signal: this.settings.signal });
		}
	}

	async #isComplete() {
		for (const flow of this.workflows.keys()) {
			const executions = await this.#executions(flow);
			const received = new Set(
				executions.flatMap((each) => each.triggerItems(TRIGGER).items.map(({ json }) => json.id)),
			);
			if (!this.submitted.every((id) => received.has(id))) return false;
		}
		return true;
	}

	/** @param {number} at in milliseconds after the activation */
	async #waitUntil(at) {
		const wait = Math.max(0, this.activatedAt + at - Date.now());
		await sleep(wait, undefined, { signal: this.settings.signal });
	}

	/** @param {string} what */
	#say(what) {
		const at = this.activatedAt === 0 ? 0 : Math.round((Date.now() - this.activatedAt) / SECOND);
		console.log(`${this.settings.host}, ${at} s: ${what}`);
	}
}

/**
 * Polls that asked for leads: all requests of one poll, repeats included, ask for the same time.
 *
 * @param {Sandbox} sandbox
 * @param {Flow} flow
 * @param {number} since epoch milliseconds
 */
function pollsIn(sandbox, { client: { clientId } }, since) {
	const ends = sandbox.requests
		.filter((request) => request.clientId === clientId && request.at >= since)
		.flatMap(({ query }) => query['to-time'] ?? []);
	return new Set(ends).size;
}

/** @param {Sandbox} sandbox */
function firedOf(sandbox) {
	/** @type {Record<string, number>} */
	const fired = {};
	for (const { rule, fired: count } of sandbox.faults.rules) {
		if (count === 0) continue;
		const name = rule.kind === 'status' ? String(rule.status) : rule.kind;
		fired[name] = (fired[name] ?? 0) + count;
	}
	return fired;
}

/**
 * @param {string} logs
 * @param {string} workflow its name
 * @returns {number[]} epoch milliseconds
 */
function handOversIn(logs, workflow) {
	return logs
		.split('\n')
		.filter((line) => line.includes(HANDED_OVER) && line.includes(workflow))
		.map((line) => Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? ''));
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @param {number} epochMs */
const isoSeconds = (epochMs) => `${new Date(epochMs).toISOString().slice(0, 19)}Z`;

/** @param {number} epochMs */
const isoMinutes = (epochMs) => `${new Date(epochMs).toISOString().slice(0, 16)}Z`;
