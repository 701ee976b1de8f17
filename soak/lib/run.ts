import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { HOUR_MS, isoSeconds, MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import {
	HOSTS,
	type Execution,
	type Host,
	type N8n,
	type StoredWorkflow,
} from '../../test/lab/n8n';
import { withN8n, type Both } from '../../test/lab/n8n/withN8n';
import type { Sandbox } from '../../test/lab/sandbox';
import { AnswerLog } from './answers';
import type { Figures, FlowFigures } from './figures';
import { createWorkflow, flowsOf, TRIGGER, type Flow } from './flows';
import { interruptedBy, reckon } from './ledger';
import { BRANCHES, faults, planOf, type Disturbance, type Plan, type PlannedLead } from './plan';
import { firedIn, handOversIn, pollsIn } from './traces';

export interface Settings {
	host: Host;
	seed: number;
	durationMs: number;
	/** Ends the run early, with an error. */
	signal: AbortSignal;
}

const EARLIER_LEADS = 20;
const NEWS_DEADLINE_MS = 12 * SECOND_MS;
const QUIET_DEADLINE_MS = 90 * SECOND_MS;
const QUIET_POLLS = 3;
const ACTIVATION_TRIES = 5;

/** One run: a real n8n in one of its host modes, a service full of faults, kills and re-activations. */
export async function runOn(settings: Settings): Promise<Figures> {
	const { host, seed, signal } = settings;
	const env = { ...HOSTS[host], N8N_LOG_LEVEL: 'debug', N8N_LOG_FORMAT: 'json' };
	const work = async (both: Both) => {
		try {
			return await Promise.race([new Run(settings, both).figures(), aborted(signal)]);
		} catch (error) {
			signal.throwIfAborted();
			throw error;
		} finally {
			// What it still has under way is of no interest.
			await both.n8n.kill9();
		}
	};
	return await withN8n(work, { n8n: { env }, sandbox: { seed } });
}

async function aborted(signal: AbortSignal): Promise<never> {
	await once(signal, 'abort');
	throw signal.reason;
}

class Run {
	private readonly host: Host;
	private readonly signal: AbortSignal;
	private readonly n8n: N8n;
	private readonly sandbox: Sandbox;
	private readonly answers: AnswerLog;
	private readonly plan: Plan;
	/** Epoch milliseconds; 0 before. */
	private activatedAt = 0;
	private readonly workflows = new Map<Flow, StoredWorkflow>();
	/** The ids of leads. */
	private readonly earlier: string[] = [];
	private readonly submitted: string[] = [];
	/** Epoch milliseconds. */
	private readonly kills: number[] = [];
	private reactivations = 0;

	constructor(
		{ host, seed, durationMs, signal }: Settings,
		private readonly both: Both,
	) {
		this.host = host;
		this.signal = signal;
		this.n8n = both.n8n;
		this.sandbox = both.sandbox;
		this.answers = new AnswerLog(both.sandbox);
		this.plan = planOf(seed, durationMs, host);
	}

	async figures(): Promise<Figures> {
		this.submitEarlier();
		await this.activateAll();
		const faultsFired = await this.submitUnderFaults();
		const quietSince = Date.now();
		await this.quiet(quietSince);
		const flows: FlowFigures[] = [];
		for (const flow of this.workflows.keys()) flows.push(await this.flowFigures(flow, quietSince));
		const { dataRequests, tokenRequests } = this.sandbox.counts;
		return {
			host: this.host,
			flows,
			submitted: this.submitted.length,
			earlier: this.earlier.length,
			dataRequests,
			tokenRequests: Object.values(tokenRequests).reduce((total, count) => total + count, 0),
			kills: this.kills.length,
			reactivations: this.reactivations,
			faultsFired,
		};
	}

	/** Leads of the last day, but for those minutes in which somebody may already have published. */
	private submitEarlier(): void {
		const now = Date.now() - 2 * MINUTE_MS;
		for (let index = 0; index < EARLIER_LEADS; index++) {
			const id = `earlier-${index + 1}`;
			const receivedAt = now - (index * 23 * HOUR_MS) / EARLIER_LEADS;
			const kind = index % 2 === 0 ? 'applicant' : 'appraisal';
			const branchId = BRANCHES[index % 3 === 0 ? 0 : 1];
			const createdAt = isoSeconds(receivedAt);
			this.sandbox.addLead(kind, { id, createdAt }, { receivedAt, branchId });
			this.earlier.push(id);
		}
	}

	private async activateAll(): Promise<void> {
		for (const flow of flowsOf(this.sandbox))
			this.workflows.set(flow, await createWorkflow(this.both, flow));
		for (const workflow of this.workflows.values()) await this.n8n.activate(workflow);
		this.activatedAt = Date.now();
		this.say(`active, ${this.plan.leads.length} leads to come`);
	}

	/** @returns how often each kind of fault has struck */
	private async submitUnderFaults(): Promise<Record<string, number>> {
		for (const rule of faults()) this.sandbox.faults.add(rule);
		await Promise.all([this.submitAll(), this.disturbAll()]);
		const fired = firedIn(this.sandbox);
		this.sandbox.faults.clear();
		this.say('all submitted, no more faults');
		return fired;
	}

	private async submitAll(): Promise<void> {
		for (const lead of this.plan.leads) {
			await this.waitUntil(lead.at);
			this.submit(lead);
		}
	}

	private submit({ id, kind, branchId, dating, shift }: PlannedLead): void {
		const receivedAt = Date.now();
		// Late, but not from before the activation: such a lead would not have to be delivered.
		const late = Math.max(receivedAt - shift, this.activatedAt + SECOND_MS);
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

	private async disturbAll(): Promise<void> {
		for (const disturbance of this.plan.disturbances) {
			await this.waitUntil(disturbance.at);
			if (disturbance.atAnswer) await this.news();
			await this.pause(disturbance.delay);
			await this.disturb(disturbance);
		}
	}

	private async disturb({ what, pause }: Disturbance): Promise<void> {
		if (what === 'kill') await this.kill();
		else await this.reactivate(pause);
	}

	private async kill(): Promise<void> {
		await this.n8n.kill9();
		this.kills.push(Date.now());
		this.say(`kill -9 (${this.kills.length})`);
		await this.n8n.restart();
	}

	/** @param pause in milliseconds */
	private async reactivate(pause: number): Promise<void> {
		const workflows = [...this.workflows.values()];
		for (const workflow of workflows) await this.n8n.deactivate(workflow);
		await this.pause(pause);
		for (const workflow of workflows) await this.activate(workflow);
		this.reactivations += 1;
		this.say(`de- and re-activated (${this.reactivations})`);
	}

	/** The faults may last for longer than an activation tries, as for a user who then tries again. */
	private async activate(workflow: StoredWorkflow): Promise<void> {
		for (let tries = 1; ; tries++) {
			try {
				return await this.n8n.activate(workflow);
			} catch (error) {
				if (tries === ACTIVATION_TRIES) throw error;
				this.say(`activation failed: ${error instanceof Error ? error.message : String(error)}`);
				await this.n8n.deactivate(workflow);
			}
		}
	}

	/** Waits for the next answer with a lead that n8n has not been sent yet, but not for long. */
	private async news(): Promise<void> {
		const end = new AbortController();
		const news = once(this.answers, 'news', { signal: end.signal }).catch(() => undefined);
		await Promise.race([news, this.pause(NEWS_DEADLINE_MS)]);
		end.abort();
	}

	/** Waits until every lead has arrived and some more polls have had the chance to repeat one. */
	private async quiet(since: number): Promise<void> {
		const flows = [...this.workflows.keys()];
		let complete = Infinity;
		for (let now = since; now - since < QUIET_DEADLINE_MS; now = Date.now()) {
			if (complete === Infinity && (await this.isComplete())) complete = now;
			const polls = flows.map((flow) => pollsIn(this.sandbox, flow, complete));
			if (Math.min(...polls) >= QUIET_POLLS) return;
			await this.pause(SECOND_MS);
		}
	}

	private async isComplete(): Promise<boolean> {
		for (const flow of this.workflows.keys()) {
			const executions = await this.executions(flow);
			const received = new Set(
				executions.flatMap((each) => each.triggerItems(TRIGGER).items.map(({ json }) => json.id)),
			);
			if (!this.submitted.every((id) => received.has(id))) return false;
		}
		return true;
	}

	/** @param quietSince epoch milliseconds */
	private async flowFigures(flow: Flow, quietSince: number): Promise<FlowFigures> {
		const { host, kills, submitted, earlier, sandbox } = this;
		const handOvers = handOversIn(this.n8n.logs(), flow.title);
		const ledger = reckon({
			host,
			trigger: TRIGGER,
			submitted,
			earlier,
			executions: await this.executions(flow),
			kills,
			handOvers,
			answeredAt: (id) => this.answers.firstSentAt(id, flow.byBranch),
		});
		return {
			title: flow.title,
			ledger,
			polls: pollsIn(sandbox, flow, 0),
			quietPolls: pollsIn(sandbox, flow, quietSince),
			killsAtHandOver: kills
				.map((kill) => ({
					killedAt: new Date(kill).toISOString(),
					msAfter: interruptedBy(kill, handOvers).map(({ at }) => kill - at),
				}))
				.filter(({ msAfter }) => msAfter.length > 0),
		};
	}

	private async executions(flow: Flow): Promise<Execution[]> {
		const workflow = this.workflows.get(flow);
		return workflow ? await this.n8n.executions(workflow) : [];
	}

	/** @param at in milliseconds after the activation */
	private async waitUntil(at: number): Promise<void> {
		await this.pause(Math.max(0, this.activatedAt + at - Date.now()));
	}

	private async pause(ms: number): Promise<void> {
		await sleep(ms, undefined, { signal: this.signal });
	}

	private say(what: string): void {
		const at = this.activatedAt === 0 ? 0 : Math.round((Date.now() - this.activatedAt) / SECOND_MS);
		console.log(`${this.host}, ${at} s: ${what}`);
	}
}

function isoMinutes(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 16)}Z`;
}
