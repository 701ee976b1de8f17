import { once } from 'node:events';

import { MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import { HOSTS, isFinished, refusedRunsIn, type Execution, type Host } from '../../test/lab/n8n';
import { HttpReceiver } from '../../test/lab/n8n/httpReceiver';
import { withN8n, type Both } from '../../test/lab/n8n/withN8n';
import { createRandom, integer } from '../../test/lab/sandbox/random';
import { Course } from '../lib/course';
import { faults } from '../lib/plan';
import { firedIn, pollsIn } from '../lib/traces';
import { Disturber } from './disturber';
import { createFlows, type PushFlow } from './flows';
import { leadsOf, reckon, type Ledger } from './ledger';
import { planOf, type Plan } from './plan';
import { Submission } from './submission';

export interface Settings {
	host: Host;
	seed: number;
	/** How long leads come. */
	durationMs: number;
	/** Ends the run early, with an error. */
	signal: AbortSignal;
}

/** What a run on one kind of host has shown. */
export interface Figures {
	host: Host;
	isNarrow: boolean;
	leads: number;
	kills: number;
	refusedRuns: number;
	faultsFired: Record<string, number>;
	flows: Array<{ title: string; ledger: Ledger }>;
}

/** If n8n was killed while it published a workflow, it takes two minutes before it starts the trigger. */
const QUIET_DEADLINE_MS = 4 * MINUTE_MS;
const LOOK_EVERY_MS = 3 * SECOND_MS;
/** In which a run too many would have begun. */
const QUIET_POLLS = 3;
/** How many runs of a hundred take longer, so that n8n is killed in the middle of some. */
const SLOW = 6;
const SLOW_MS = 2_000;

/** One run: leads pushed and polled while the service fails, and n8n is killed, locked and unpublished. */
export async function runOn(settings: Settings): Promise<Figures> {
	const { host, seed, durationMs, signal } = settings;
	const plan = planOf(seed, durationMs, host);
	const target = await slowTarget(seed);
	const env = { ...HOSTS[host], ...(plan.isNarrow && { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' }) };
	const work = async (both: Both) => {
		try {
			const course = new Course(host, signal);
			return await Promise.race([new Run(course, plan, both, target.url).figures(), end(signal)]);
		} finally {
			// What it still has under way is of no interest.
			await both.n8n.kill9();
		}
	};
	return await withN8n(work, { n8n: { env }, sandbox: { seed } }).finally(() => target.stop());
}

async function end(signal: AbortSignal): Promise<never> {
	await once(signal, 'abort');
	throw signal.reason;
}

async function slowTarget(seed: number): Promise<HttpReceiver> {
	const target = await HttpReceiver.start();
	const random = createRandom(seed + 3);
	target.answer = async () => {
		if (integer(random, 1, 100) <= SLOW) await new Promise((go) => setTimeout(go, SLOW_MS));
		return 200;
	};
	return target;
}

class Run {
	constructor(
		private readonly course: Course,
		private readonly plan: Plan,
		private readonly both: Both,
		private readonly url: string,
	) {}

	async figures(): Promise<Figures> {
		const { both, plan, course } = this;
		const { n8n, sandbox } = both;
		const flows = await createFlows(both, this.url);
		for (const { workflow } of flows) await n8n.activate(workflow);
		course.begin();
		course.say(`${plan.leads.length} leads to come${plan.isNarrow ? ', one run at a time' : ''}`);
		const disturber = new Disturber(course, n8n, flows);
		const targets = flows.map(({ target }) => target);
		const submission = new Submission(course, sandbox, targets);
		for (const rule of faults()) sandbox.faults.add(rule);
		await Promise.all([submission.submitAll(plan.leads), disturber.disturbAll(plan.disturbances)]);
		const faultsFired = firedIn(sandbox);
		sandbox.faults.clear();
		await this.quiet(flows);
		const ledgers = flows.map(async ({ flow, workflow, target }) => {
			const executions = await n8n.executions(workflow);
			const pushes = submission.pushes.log.filter(({ url }) => url === target.url);
			return { title: flow.title, ledger: reckon({ leads: plan.leads, executions, pushes }) };
		});
		return {
			host: course.host,
			isNarrow: plan.isNarrow,
			leads: plan.leads.length,
			kills: disturber.kills,
			refusedRuns: refusedRunsIn(n8n.logs()),
			faultsFired,
			flows: await Promise.all(ledgers),
		};
	}

	/** Waits until what polls find has arrived, all runs have ended, and some more polls could have repeated one. */
	private async quiet(flows: PushFlow[]): Promise<void> {
		const since = Date.now();
		this.course.say('all submitted, no more faults');
		let complete = Infinity;
		for (let now = since; now - since < QUIET_DEADLINE_MS; now = Date.now()) {
			if (complete === Infinity && (await this.isComplete(flows))) complete = now;
			const polls = flows.map(({ flow }) => pollsIn(this.both.sandbox, flow, complete));
			if (Math.min(...polls) >= QUIET_POLLS) return;
			await this.course.pause(LOOK_EVERY_MS);
		}
	}

	private async isComplete(flows: PushFlow[]): Promise<boolean> {
		const polled = this.plan.leads.filter(({ polledAfter }) => polledAfter !== undefined);
		const missing: string[] = [];
		for (const { workflow } of flows) {
			const executions: Execution[] = await this.both.n8n.executions(workflow);
			const known = new Set(executions.flatMap(leadsOf).map(({ id }) => id));
			const unfinished = executions.filter(({ summary }) => !isFinished(summary));
			missing.push(...unfinished.map(({ id, status }) => `execution ${id} is ${status}`));
			missing.push(...polled.filter(({ id }) => !known.has(id)).map(({ id }) => id));
		}
		if (missing.length > 0) this.course.say(`not there yet: ${missing.slice(0, 5).join(', ')}`);
		return missing.length === 0;
	}
}
