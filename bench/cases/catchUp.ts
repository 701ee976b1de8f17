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
import { runsOf, stateOf } from '../../test/lab/n8n/database';
import { atOnce, cpuMs } from '../lib/measure';
import { agentLeadsTrigger, limit } from '../lib/nodes';
import { atMost, say, tenths, whole, type Result, type Settings } from '../lib/report';
import { Scene } from '../lib/scene';

/** What n8n has spent on all leads. */
interface Figures {
	/** From the activation, or the first call, until the last run has ended. */
	ms: number;
	cpuMs: number;
	peakMb: number;
	requests: number;
	stateBytes: number;
}

const POLL_EVERY_S = 10;
const RUNS_AT_ONCE = 5;
const LOOK_EVERY_MS = 1_000;
const DEADLINE_MS = 60 * 60_000;

const WEBHOOK = 'Webhook, as many calls';
const ONE_PER_LEAD = 'Agent Leads Trigger, One per Lead';
const ROWS: Array<[name: string, host: Host]> = [
	[WEBHOOK, 'default'],
	[ONE_PER_LEAD, 'default'],
	[`${ONE_PER_LEAD}, durable cursors`, 'durable'],
];

export async function catchUp({ isQuick }: Settings): Promise<Result> {
	const leads = isQuick ? 200 : 10_000;
	const figures: Record<string, Figures> = {};
	for (const [name, host] of ROWS) {
		say(`a catch-up of ${whole(leads)} leads: ${name}`);
		const begin = name === WEBHOOK ? byWebhook : byTrigger;
		figures[name] = await Scene.play(
			async (scene) => await measure(scene, begin, leads),
			HOSTS[host],
		);
	}
	return report(figures, leads);
}

/** @throws Failure unless every lead had one run that succeeded */
async function measure(scene: Scene, begin: typeof byWebhook, leads: number): Promise<Figures> {
	const { n8n, sandbox } = scene;
	const now = Date.now();
	sandbox.addLeads('applicant', leads, { from: now - 30 * DAY_MS + HOUR_MS, to: now - HOUR_MS });
	n8n.resetPeakMemory();
	const before = { cpu: cpuMs(n8n.pid), at: Date.now() };
	const workflow = await begin(scene, leads);
	const endedAt = await until('all runs to end', DEADLINE_MS, async () => {
		await sleep(LOOK_EVERY_MS);
		const { succeeded, lastStoppedAt } = await runsOf(n8n.userFolder, workflow);
		return succeeded >= leads ? lastStoppedAt : undefined;
	});
	const figures = {
		ms: endedAt - before.at,
		cpuMs: cpuMs(n8n.pid) - before.cpu,
		peakMb: n8n.peakMemory() / 1e6,
		requests: sandbox.counts.dataRequests,
		stateBytes: (await stateOf(n8n.userFolder, workflow)).length,
	};
	// A poll or two that may bring what was delivered already.
	await sleep(2 * POLL_EVERY_S * 1_000);
	const { succeeded, others } = await runsOf(n8n.userFolder, workflow);
	if (succeeded === leads && others === 0) return figures;
	throw new Failure(`${leads} leads had ${succeeded} runs, and ${others} that did not succeed`);
}

async function byTrigger(scene: Scene): Promise<StoredWorkflow> {
	const trigger = agentLeadsTrigger(await scene.ourCredential(), {
		pollTimes: everySeconds(POLL_EVERY_S),
		leadTypes: ['applicant'],
		startFrom: 'last30Days',
		runs: 'onePerLead',
	});
	return await scene.active(chain('Leads', trigger, limit()));
}

/** What a run costs n8n by itself: as many at once, with a lead each and the same node behind the trigger. */
async function byWebhook(scene: Scene, leads: number): Promise<StoredWorkflow> {
	const trigger = webhook({ responseMode: 'onReceived' });
	const workflow = await scene.active(chain('Calls', trigger, limit()));
	const url = `${scene.n8n.url}/webhook/${String(trigger.webhookId)}`;
	const body = { id: 'a lead', firstName: 'Ann', email: 'ann@example.com', phone: '07700 900123' };
	await atOnce(RUNS_AT_ONCE, leads, async () => void (await send(url, 'POST', body)));
	return workflow;
}

function report(figures: Record<string, Figures>, leads: number): Result {
	const ratio = (key: 'cpuMs' | 'peakMb') =>
		(figures[ONE_PER_LEAD]?.[key] ?? NaN) / (figures[WEBHOOK]?.[key] ?? NaN);
	return {
		title: `A catch-up of ${whole(leads)} leads`,
		about: `Agent Leads Trigger starts from the last 30 days and polls every ${POLL_EVERY_S} seconds; a Limit node follows. Each row has a fresh n8n and is measured once, until each lead has had its run. The row of the Webhook node tells what as many runs of n8n cost by themselves: ${RUNS_AT_ONCE} calls at a time, with a small body each.`,
		columns: [
			'Runs started by',
			'Wall time (s)',
			'Wall time per run (ms)',
			'CPU per run (ms)',
			'n8n’s peak memory (MB)',
			'Requests',
			'State (bytes)',
		],
		rows: Object.entries(figures).map(([name, each]) => [
			name,
			tenths(each.ms / 1_000),
			tenths(each.ms / leads),
			tenths(each.cpuMs / leads),
			whole(each.peakMb),
			whole(each.requests),
			whole(each.stateBytes),
		]),
		goals: [
			atMost(1.25, 'CPU, beside as many calls of a webhook:', ratio('cpuMs')),
			atMost(1.25, 'Peak memory, beside as many calls of a webhook:', ratio('peakMb')),
		],
	};
}
