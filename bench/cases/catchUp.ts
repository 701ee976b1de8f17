import { setTimeout as sleep } from 'node:timers/promises';

import { DAY_MS, HOUR_MS } from '../../service/basics/times';
import { Failure } from '../../test/lab/failure';
import {
	chain,
	everySeconds,
	HOSTS,
	send,
	until,
	webhook,
	type Host,
	type StoredWorkflow,
} from '../../test/lab/n8n';
import { ourCredential } from '../lib/credentials';
import { runsOf, stateOf } from '../../test/lab/n8n/database';
import { figureOf, sum } from '../lib/figures';
import { bytesWritten, cpuMs } from '../lib/measure';
import { agentLeadsTrigger, limit } from '../lib/nodes';
import { say, tenths, times, whole, type Goal, type Result, type Settings } from '../lib/result';
import { Scene } from '../lib/scene';

/** What n8n has spent on all leads. */
interface Figures {
	name: string;
	runs: number;
	/** From the activation, or the first call, until the last run has ended. */
	ms: number;
	cpuMs: number;
	writtenBytes: number;
	peakMb: number;
	/** n8n's memory before. */
	restMb: number;
	requests: number;
	stateBytes: number;
}

/** A workflow that is ready to begin. */
interface Ready {
	workflow: StoredWorkflow;
	/** How many runs there will be. */
	runs: number;
	begin: () => Promise<void>;
	/** @throws Failure unless every lead was delivered once */
	check?: () => Promise<void>;
}

type Subject = (scene: Scene, leads: number) => Promise<Ready>;

const POLL_EVERY_S = 10;
const RUNS_AT_ONCE = 5;
const LOOK_EVERY_MS = 1_000;
const DEADLINE_MS = 60 * 60_000;

const ONE_PER_POLL = 'Agent Leads Trigger, One per Poll';
const ONE_PER_LEAD = 'Agent Leads Trigger, One per Lead';
const DURABLE = 'Agent Leads Trigger, One per Lead, durable cursors';
const WEBHOOK = 'Webhook, as many calls';

const SUBJECTS: Record<string, { subject: Subject; host?: Host }> = {
	[ONE_PER_POLL]: { subject: byOneRun },
	[WEBHOOK]: { subject: byWebhook },
	[ONE_PER_LEAD]: { subject: byRunsOfTheirOwn },
	[DURABLE]: { subject: byRunsOfTheirOwn, host: 'durable' },
};

export async function catchUp({ isQuick }: Settings): Promise<Result> {
	const leads = isQuick ? 200 : 10_000;
	const figures: Figures[] = [];
	for (const [name, { subject, host = 'default' }] of Object.entries(SUBJECTS)) {
		say(`a catch-up of ${whole(leads)} leads: ${name}`);
		const play = async (scene: Scene) => ({ name, ...(await measure(scene, subject, leads)) });
		figures.push(await Scene.play(play, HOSTS[host]));
	}
	return report(figures, leads);
}

async function measure(scene: Scene, subject: Subject, leads: number) {
	const { n8n, sandbox } = scene;
	const now = Date.now();
	sandbox.addLeads('applicant', leads, { from: now - 30 * DAY_MS + HOUR_MS, to: now - HOUR_MS });
	const { workflow, runs, begin, check } = await subject(scene, leads);
	n8n.resetPeakMemory();
	const restMb = n8n.peakMemory() / 1e6;
	const before = { cpuMs: cpuMs(n8n.pid), bytes: bytesWritten(n8n.pid), at: Date.now() };
	await begin();
	const endedAt = await ended(scene, workflow, runs);
	const figures = {
		runs,
		ms: endedAt - before.at,
		cpuMs: cpuMs(n8n.pid) - before.cpuMs,
		writtenBytes: bytesWritten(n8n.pid) - before.bytes,
		peakMb: n8n.peakMemory() / 1e6,
		restMb,
		requests: sandbox.counts.dataRequests,
		stateBytes: (await stateOf(n8n.userFolder, workflow)).length,
	};
	await check?.();
	return figures;
}

/** @returns when the last run ended, in epoch milliseconds */
async function ended({ n8n }: Scene, workflow: StoredWorkflow, runs: number): Promise<number> {
	return await until('all runs to end', DEADLINE_MS, async () => {
		await sleep(LOOK_EVERY_MS);
		const { succeeded, lastStoppedAt } = await runsOf(n8n.userFolder, workflow);
		return succeeded >= runs ? lastStoppedAt : undefined;
	});
}

async function byOneRun(scene: Scene, leads: number): Promise<Ready> {
	const ready = await byTrigger(scene, 'onePerPoll', 1);
	const check = async () => {
		const executions = await scene.n8n.executions(ready.workflow);
		const delivered = sum(
			executions.map((each) => each.runs('Agent Leads Trigger')[0]?.data?.main?.[0]?.length ?? 0),
		);
		if (delivered !== leads) throw new Failure(`${delivered} of ${leads} leads were delivered`);
	};
	return { ...ready, check };
}

async function byRunsOfTheirOwn(scene: Scene, leads: number): Promise<Ready> {
	const ready = await byTrigger(scene, 'onePerLead', leads);
	const check = async () => {
		// A poll or two that may bring what was delivered already.
		await sleep(2 * POLL_EVERY_S * 1_000);
		const { succeeded, others } = await runsOf(scene.n8n.userFolder, ready.workflow);
		if (succeeded === leads && others === 0) return;
		throw new Failure(`${leads} leads had ${succeeded} runs, and ${others} that did not succeed`);
	};
	return { ...ready, check };
}

async function byTrigger(scene: Scene, runs: string, count: number): Promise<Ready> {
	const trigger = agentLeadsTrigger(await ourCredential(scene, 'leads'), {
		pollTimes: everySeconds(POLL_EVERY_S),
		leadTypes: ['applicant'],
		startFrom: 'last30Days',
		runs,
	});
	const workflow = await scene.n8n.createWorkflow(chain('Leads', trigger, limit()));
	return { workflow, runs: count, begin: async () => await scene.n8n.activate(workflow) };
}

/** What a run costs n8n by itself: as many at once, with a lead each and the same node behind the trigger. */
async function byWebhook(scene: Scene, leads: number): Promise<Ready> {
	const trigger = webhook({ responseMode: 'onReceived' });
	const workflow = await scene.n8n.createWorkflow(chain('Calls', trigger, limit()));
	await scene.n8n.activate(workflow);
	const url = `${scene.n8n.url}/webhook/${String(trigger.webhookId)}`;
	const body = { id: 'a lead', firstName: 'Ann', email: 'ann@example.com', phone: '07700 900123' };
	let calls = 0;
	const lane = async () => {
		while (calls++ < leads) await send(url, { method: 'POST', body });
	};
	const begin = async () => void (await Promise.all(Array.from({ length: RUNS_AT_ONCE }, lane)));
	return { workflow, runs: leads, begin };
}

function report(figures: Figures[], leads: number): Result {
	return {
		title: `A catch-up of ${whole(leads)} leads`,
		about: `Agent Leads Trigger starts from the last 30 days and polls every ${POLL_EVERY_S} seconds; a Limit node follows. Each row has a fresh n8n and is measured once, until all leads are delivered and all runs have ended. The row of the Webhook node tells what as many runs of n8n cost by themselves: ${RUNS_AT_ONCE} calls at a time, with a small body each. “Written” is all that n8n hands to the operating system: its database, its log.`,
		columns: [
			'Runs started by',
			'Runs',
			'Wall time (s)',
			'Wall time per run (ms)',
			'CPU per run (ms)',
			'Written per run (kB)',
			'n8n’s peak memory (MB)',
			'Before (MB)',
			'Requests',
			'State (bytes)',
		],
		rows: figures.map(row),
		goals: goals(figures),
		notes: [
			'One per Lead has at most five runs under way, the oldest lead first. A poll asks for more leads only if fewer than 1,000 wait for their runs: so a catch-up takes a poll for each thousand or so, and memory does not grow with its length.',
		],
	};
}

function row(each: Figures): string[] {
	return [
		each.name,
		whole(each.runs),
		tenths(each.ms / 1_000),
		tenths(each.ms / each.runs),
		tenths(each.cpuMs / each.runs),
		whole(each.writtenBytes / each.runs / 1_000),
		whole(each.peakMb),
		whole(each.restMb),
		whole(each.requests),
		whole(each.stateBytes),
	];
}

function goals(figures: Figures[]): Goal[] {
	const [lead, call] = [figureOf(figures, ONE_PER_LEAD), figureOf(figures, WEBHOOK)];
	const goal = (what: string, ratio: number): Goal => ({
		text: `One per Lead: ${what} at most 1.25× that of as many calls of a webhook`,
		figure: times(ratio),
		isMet: ratio <= 1.25,
	});
	return [goal('CPU', lead.cpuMs / call.cpuMs), goal('peak memory', lead.peakMb / call.peakMb)];
}
