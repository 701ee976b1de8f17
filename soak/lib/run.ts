import { once } from 'node:events';

import { MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import {
	HOSTS,
	refusedRunsIn,
	type Execution,
	type Host,
	type StoredWorkflow,
} from '../../test/lab/n8n';
import { withN8n, type Both } from '../../test/lab/n8n/withN8n';
import { AnswerLog } from './answers';
import { Course } from './course';
import { Disturber } from './disturber';
import type { Figures, FlowFigures } from './figures';
import { createWorkflow, flowsOf, TRIGGER, type Flow, type HandOver } from './flows';
import { interruptedBy, reckon } from './ledger';
import type { HttpReceiver } from '../../test/lab/n8n/httpReceiver';
import { faults, planOf, type Plan } from './plan';
import { Submission } from './submission';
import { startTarget } from './target';
import { firedIn, handOversIn, pollsIn } from './traces';

export interface Settings {
	host: Host;
	seed: number;
	durationMs: number;
	handOver: HandOver;
	/** Ends the run early, with an error. */
	signal: AbortSignal;
}

/** If n8n was killed while it published a workflow, it takes two minutes before it starts the trigger. */
const QUIET_DEADLINE_MS = 4 * MINUTE_MS;
/** A lead that was killed, refused and killed again has pauses of one, two and four minutes. */
const RUN_AGAIN_DEADLINE_MS = 8 * MINUTE_MS;
const LOOK_EVERY_MS = 5 * SECOND_MS;
const QUIET_POLLS = 3;
/** In which a run that should not be would have begun, after its pause. */
const RUN_AGAIN_QUIET_POLLS = 18;

/** One run: a real n8n in one of its host modes, a service full of faults, kills and re-activations. */
export async function runOn(settings: Settings): Promise<Figures> {
	const { host, seed, handOver, signal } = settings;
	const target = await startTarget(seed, handOver);
	const env = { ...HOSTS[host], N8N_LOG_LEVEL: 'debug', N8N_LOG_FORMAT: 'json' };
	const work = async (both: Both) => {
		try {
			return await Promise.race([new Run(settings, both, target).figures(), aborted(signal)]);
		} catch (error) {
			signal.throwIfAborted();
			throw error;
		} finally {
			// What it still has under way is of no interest.
			await both.n8n.kill9();
		}
	};
	return await withN8n(work, { n8n: { env }, sandbox: { seed } }).finally(() => target.stop());
}

async function aborted(signal: AbortSignal): Promise<never> {
	await once(signal, 'abort');
	throw signal.reason;
}

class Run {
	private readonly course: Course;
	private readonly answers: AnswerLog;
	private readonly submission: Submission;
	private readonly disturber: Disturber;
	private readonly plan: Plan;
	private readonly handOver: HandOver;
	private readonly workflows = new Map<Flow, StoredWorkflow>();

	constructor(
		{ host, seed, durationMs, handOver, signal }: Settings,
		private readonly both: Both,
		private readonly target: HttpReceiver,
	) {
		this.handOver = handOver;
		this.course = new Course(host, signal);
		this.answers = new AnswerLog(both.sandbox);
		this.submission = new Submission(this.course, both.sandbox);
		this.disturber = new Disturber(this.course, both.n8n, this.answers);
		this.plan = planOf(seed, durationMs, host);
	}

	async figures(): Promise<Figures> {
		this.submission.submitEarlier();
		await this.activateAll();
		const faultsFired = await this.submitUnderFaults();
		const quietSince = Date.now();
		await this.quiet(quietSince);
		const flows: FlowFigures[] = [];
		for (const flow of this.workflows.keys()) flows.push(await this.flowFigures(flow, quietSince));
		const { dataRequests, tokenRequests } = this.both.sandbox.counts;
		return {
			host: this.course.host,
			flows,
			submitted: this.submission.submitted.length,
			earlier: this.submission.earlier.length,
			dataRequests,
			tokenRequests: Object.values(tokenRequests).reduce((total, count) => total + count, 0),
			kills: this.disturber.kills.length,
			reactivations: this.disturber.reactivations,
			refusedRuns: refusedRunsIn(this.both.n8n.logs()),
			faultsFired,
		};
	}

	private async activateAll(): Promise<void> {
		const { both, handOver, target } = this;
		for (const flow of flowsOf(both.sandbox))
			this.workflows.set(flow, await createWorkflow(both, flow, handOver, target.url));
		for (const workflow of this.workflows.values()) await this.both.n8n.activate(workflow);
		this.course.begin();
		this.course.say(`active, ${this.plan.leads.length} leads to come`);
	}

	/** @returns how often each kind of fault has struck */
	private async submitUnderFaults(): Promise<Record<string, number>> {
		const { sandbox } = this.both;
		const { leads, disturbances } = this.plan;
		for (const rule of faults()) sandbox.faults.add(rule);
		await Promise.all([
			this.submission.submitAll(leads),
			this.disturber.disturbAll(disturbances, [...this.workflows.values()]),
		]);
		const fired = firedIn(sandbox);
		sandbox.faults.clear();
		this.course.say('all submitted, no more faults');
		return fired;
	}

	/** Waits until every lead has arrived and some more polls have had the chance to repeat one. */
	private async quiet(since: number): Promise<void> {
		const flows = [...this.workflows.keys()];
		let complete = Infinity;
		const deadlineMs = this.handOver.runAgain > 0 ? RUN_AGAIN_DEADLINE_MS : QUIET_DEADLINE_MS;
		const quietPolls = this.handOver.runAgain > 0 ? RUN_AGAIN_QUIET_POLLS : QUIET_POLLS;
		for (let now = since; now - since < deadlineMs; now = Date.now()) {
			if (complete === Infinity && (await this.isComplete())) complete = now;
			const polls = flows.map((flow) => pollsIn(this.both.sandbox, flow, complete));
			if (Math.min(...polls) >= quietPolls) return;
			await this.course.pause(LOOK_EVERY_MS);
		}
	}

	private async isComplete(): Promise<boolean> {
		for (const flow of this.workflows.keys()) {
			const executions = await this.executions(flow);
			const isToSucceed = this.handOver.runAgain > 0;
			const counting = executions.filter(({ status }) => !isToSucceed || status === 'success');
			const received = new Set(
				counting.flatMap((each) => each.triggerItems(TRIGGER).items.map(({ json }) => json.id)),
			);
			if (!this.submission.submitted.every((id) => received.has(id))) return false;
		}
		return true;
	}

	/** @param quietSince epoch milliseconds */
	private async flowFigures(flow: Flow, quietSince: number): Promise<FlowFigures> {
		const { n8n, sandbox } = this.both;
		const { submitted, earlier } = this.submission;
		const { kills } = this.disturber;
		const handOvers = handOversIn(n8n.logs(), flow.title);
		const ledger = reckon({
			host: this.course.host,
			handOver: this.handOver,
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
			killsAtHandOver: killsAtHandOver(kills, handOvers),
		};
	}

	private async executions(flow: Flow): Promise<Execution[]> {
		const workflow = this.workflows.get(flow);
		return workflow ? await this.both.n8n.executions(workflow) : [];
	}
}

/** All times are in epoch milliseconds. */
function killsAtHandOver(kills: number[], handOvers: number[]): FlowFigures['killsAtHandOver'] {
	return kills
		.map((kill) => ({
			killedAt: new Date(kill).toISOString(),
			msAfter: interruptedBy(kill, handOvers).map(({ at }) => kill - at),
		}))
		.filter(({ msAfter }) => msAfter.length > 0);
}
