import countBy from 'lodash/countBy';
import groupBy from 'lodash/groupBy';
import mapValues from 'lodash/mapValues';
import sumBy from 'lodash/sumBy';
import { EventEmitter, once, setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { MINUTE_MS, SECOND_MS } from '../service/basics/times';
import { Failure } from '../test/lab/failure';
import {
	HOSTS,
	isFinished,
	refusedRunsIn,
	type Execution,
	type Host,
	type NodeInput,
	type StoredWorkflow,
} from '../test/lab/n8n';
import { HttpReceiver } from '../test/lab/n8n/httpReceiver';
import { withN8n, type Both } from '../test/lab/n8n/stage/stage';
import { startedByEach } from '../test/lab/n8n/workflow';
import { Disturber } from './disturber';
import type { Ledger } from './ledger';
import { answerOf, faults, isNarrow, type Disturbance } from './plan';

export interface Settings {
	host: Host;
	seed: number;
	/** How long leads or changes come. */
	durationMs: number;
	/** How many more times a lead is run if its run fails. */
	runAgain: number;
}

/** A workflow, and how it is started. */
export interface Flow {
	title: string;
	/** The names of its triggers. */
	triggers: string[];
	workflow: StoredWorkflow;
}

/** n8n stores each execution, and where it is. */
const STORE_ALL = {
	saveDataSuccessExecution: 'all',
	saveDataErrorExecution: 'all',
	saveExecutionProgress: true,
} as const;

/** Stores a workflow in which each of these triggers starts the same node. */
export async function createFlow(
	{ n8n }: Both,
	title: string,
	triggers: NodeInput[],
	next: NodeInput,
): Promise<Flow> {
	const workflow = startedByEach(title, triggers, next);
	const settings = { ...workflow.settings, ...STORE_ALL };
	const stored = await n8n.createWorkflow({ ...workflow, settings });
	return { title, triggers: triggers.map(({ name }) => name), workflow: stored };
}

/** What a load is made with. */
export interface Stage extends Both, Settings {
	/** The address that workflows send their leads to. */
	target: string;
	/** The time of the run. */
	course: Course;
}

/** What happens to the workflows of a run, and what has to come of it. */
export interface Load {
	/** Stores the workflows; they are not published yet. */
	create: () => Promise<Flow[]>;
	/** Waits until the published workflows have a baseline. */
	begun?: () => Promise<void>;
	disturbances: Disturbance[];
	/** The paths at which the service fails. */
	failing: Array<RegExp | string>;
	/** An answer to such a path may bring something new. */
	bringing: RegExp;
	/** Lets everything happen. */
	submit: () => Promise<void>;
	reckon: (flow: Flow, executions: Execution[], disturber: Disturber) => Ledger;
}

export type CreateLoad = (stage: Stage) => Load;

/** What a run on one kind of host has shown. */
export interface Outcome {
	kills: number;
	/** How often n8n refused to start a run that it knew. */
	refusedRuns: number;
	faultsFired: Record<string, number>;
	flows: Array<{
		title: string;
		ledger: Ledger;
		byStatus: Record<string, number>;
	}>;
}

/** Beside the time in which something comes: starts, restarts, and the wait for the last run. */
const EXTRA_MS = 20 * MINUTE_MS;
/** If n8n was killed while it published a workflow, it takes two minutes before it starts the trigger. */
const QUIET_DEADLINE_MS = 4 * MINUTE_MS;
/** In which something that should not come would come. */
const QUIET_MS = 20 * SECOND_MS;
/** A lead that was killed, refused and killed again has pauses of one, two and four minutes. */
const RUN_AGAIN = { deadlineMs: 8 * MINUTE_MS, quietMs: 90 * SECOND_MS };
const LOOK_EVERY_MS = 5 * SECOND_MS;

/** The time of a run: it counts from the publication of the workflows, and an abort ends it. */
export class Course {
	begunAt = NaN;

	constructor(
		private readonly host: Host,
		private readonly signal: AbortSignal,
	) {}

	/** @param at in milliseconds after the publication */
	async waitUntil(at: number): Promise<void> {
		await this.pause(Math.max(0, this.begunAt + at - Date.now()));
	}

	async pause(ms: number): Promise<void> {
		await sleep(ms, undefined, { signal: this.signal });
	}

	say(what: string): void {
		const seconds = Math.round((Date.now() - this.begunAt) / SECOND_MS);
		console.log(`${this.host}, ${seconds} s: ${what}`);
	}
}

/** One run: a real n8n in one of its host modes, a service full of faults, and n8n is killed and more. */
export async function play(createLoad: CreateLoad, settings: Settings): Promise<Outcome> {
	const { host, seed, durationMs, runAgain } = settings;
	const target = await HttpReceiver.start();
	target.answer = answerOf(seed, runAgain);
	const env = {
		...HOSTS[host],
		N8N_LOG_LEVEL: 'debug',
		N8N_LOG_FORMAT: 'json',
		...(isNarrow(seed) && { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' }),
	};
	const signal = endOf(durationMs + EXTRA_MS);
	const work = async (both: Both) => {
		const course = new Course(host, signal);
		const stage = { ...both, ...settings, target: target.url, course };
		try {
			return await Promise.race([outcomeOf(stage, createLoad(stage)), aborted(signal)]);
		} finally {
			// What it still has under way is of no interest.
			await both.n8n.kill9();
		}
	};
	return await withN8n(work, { n8n: { env }, sandbox: { seed } }).finally(() => target.stop());
}

function endOf(ms: number): AbortSignal {
	const controller = new AbortController();
	// Each lead or change waits for its time.
	setMaxListeners(0, controller.signal);
	const late = new Failure(`Not done in ${ms / MINUTE_MS} minutes.`);
	setTimeout(() => controller.abort(late), ms).unref();
	return controller.signal;
}

async function aborted(signal: AbortSignal): Promise<never> {
	await once(signal, 'abort');
	throw signal.reason;
}

async function outcomeOf(stage: Stage, load: Load): Promise<Outcome> {
	const { n8n, sandbox, course } = stage;
	const news = newsOf(stage, load.bringing);
	const flows = await load.create();
	for (const { workflow } of flows) await n8n.activate(workflow);
	await load.begun?.();
	course.begunAt = Date.now();
	const disturber = new Disturber(course, n8n, news, flows);
	for (const rule of faults(load.failing)) sandbox.faults.add(rule);
	await Promise.all([load.submit(), disturber.disturbAll(load.disturbances)]);
	const faultsFired = firedIn(sandbox);
	sandbox.faults.clear();
	course.say('all submitted, no more faults');
	const ledgers = async () =>
		await Promise.all(
			flows.map(async (flow) => {
				const executions = await n8n.executions(flow.workflow);
				return { flow, executions, ledger: load.reckon(flow, executions, disturber) };
			}),
		);
	await quiet(stage, async () =>
		(await ledgers()).every(
			({ executions, ledger }) =>
				executions.every(({ summary }) => isFinished(summary)) &&
				ledger.findings.every(({ isOpen }) => !isOpen),
		),
	);
	return {
		kills: disturber.kills.length,
		refusedRuns: refusedRunsIn(n8n.logs()),
		faultsFired,
		flows: (await ledgers()).map(({ flow, executions, ledger }) => ({
			title: flow.title,
			ledger,
			byStatus: countBy(executions, 'status'),
		})),
	};
}

/** Waits until everything has arrived, and for what should not come any more. */
async function quiet({ course, runAgain }: Stage, isComplete: () => Promise<boolean>) {
	const isAgain = runAgain > 0;
	const deadline = Date.now() + (isAgain ? RUN_AGAIN.deadlineMs : QUIET_DEADLINE_MS);
	while (Date.now() < deadline && !(await isComplete())) await course.pause(LOOK_EVERY_MS);
	await course.pause(isAgain ? RUN_AGAIN.quietMs : QUIET_MS);
}

/** How often each kind of fault has struck. */
function firedIn({ faults: { rules } }: Both['sandbox']): Record<string, number> {
	const struck = rules.filter(({ fired }) => fired > 0);
	const nameOf = ({ rule }: (typeof rules)[number]) =>
		rule.kind === 'status' ? String(rule.status) : rule.kind;
	return mapValues(groupBy(struck, nameOf), (each) => sumBy(each, 'fired'));
}

/** Emits `news` when the service has answered to the end with what may be new. */
function newsOf({ sandbox: { exchange } }: Both, bringing: RegExp): EventEmitter {
	const news = new EventEmitter();
	const handle = exchange.handle.bind(exchange);
	exchange.handle = async (call, response) => {
		if (bringing.test(call.path)) response.once('finish', () => news.emit('news'));
		return await handle(call, response);
	};
	return news;
}
