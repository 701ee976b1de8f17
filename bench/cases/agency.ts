import { setTimeout as sleep } from 'node:timers/promises';

import { Failure } from '../../test/lab/failure';
import { chain, everySeconds, until, type StoredWorkflow } from '../../test/lab/n8n';
import { stateOf } from '../../test/lab/n8n/database';
import { agentInventoryTrigger } from '../../test/lab/n8n/stage/nodes';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';
import { medianOf, ratioOf } from '../lib/figures';
import { cpuMs } from '../lib/measure';
import { httpPages, limit } from '../lib/nodes';
import { atMost, say, whole, type Result, type Settings } from '../lib/report';
import { Scene } from '../lib/scene';

interface Figures {
	ms: number;
	cpu: number;
	requests: number;
	peakMb: number;
}

interface TriggerRun {
	baseline: Figures;
	quiet: Figures;
	stateBytes: number;
}

const [AGENCY] = AGENCY_REFS;
const PROPERTIES = 30_000;
const POLL_EVERY_S = 5;
const DEADLINE_MS = 600_000;

const THEIRS = 'HTTP Request on a schedule, each time';
const BASELINE = 'Agent Inventory Trigger, baseline';
const QUIET = 'Agent Inventory Trigger, quiet poll';

const LOOK_EVERY_MS = 500;

export async function agency({ rounds }: Settings): Promise<Result> {
	const theirRuns: Figures[] = [];
	const ourRuns: TriggerRun[] = [];
	for (let round = 1; round <= rounds; round++) {
		say(`round ${round} of ${rounds}: an agency`);
		theirRuns.push(await Scene.play(byPages));
		ourRuns.push(await Scene.play(byTrigger));
	}
	const rows: Array<[name: string, all: Figures[]]> = [
		[THEIRS, theirRuns],
		[BASELINE, ourRuns.map(({ baseline }) => baseline)],
		[QUIET, ourRuns.map(({ quiet }) => quiet)],
	];
	const cpu = (all: Array<Pick<Figures, 'cpu'>>) => all.map((each) => each.cpu);
	const [theirs, baseline, quiet] = rows.map(([, all]) => cpu(all));
	return {
		title: `An agency with ${whole(PROPERTIES)} properties`,
		about: `To see what has changed, the HTTP Request node has to read all rows each time, and something has to compare them. Agent Inventory Trigger reads them once, 40 requests in each poll, and then asks for what was modified. CPU time is all of n8n’s, in a fresh n8n for each of ${rounds} rounds; the quiet poll’s is that of ${POLL_EVERY_S} seconds.`,
		columns: ['', 'Wall time (ms)', 'CPU (ms)', 'Requests', 'n8n’s peak memory (MB)'],
		rows: rows.map(([name, all]) => [
			name,
			...(['ms', 'cpu', 'requests', 'peakMb'] as const).map((key) => whole(medianOf(all, key))),
		]),
		goals: [
			atMost(
				3,
				'Baseline, beside one run of HTTP Request: CPU',
				ratioOf(baseline ?? [], theirs ?? []),
			),
			atMost(
				0.1,
				'Quiet poll, beside one run of HTTP Request: CPU',
				ratioOf(quiet ?? [], theirs ?? []),
			),
		],
		notes: [`The trigger keeps ${whole(medianOf(ourRuns, 'stateBytes'))} bytes of what it knows.`],
	};
}

async function byPages(scene: Scene): Promise<Figures> {
	const { sandbox, n8n } = scene;
	sandbox.inventory.fill(AGENCY, PROPERTIES);
	const url = `${sandbox.inventoryUrl}/inventory/filter?max-results=100`;
	const node = httpPages(await scene.inventoryOauth2(), url, AGENCY);
	const workflow = await scene.workflow('Pages', [node]);
	return await measured(scene, async () => {
		const { status, text } = await n8n.runByWebhook(workflow);
		if (status !== 200) throw new Failure(`The pages were answered ${status}: ${text}`);
	});
}

async function byTrigger(scene: Scene): Promise<TriggerRun> {
	const { sandbox, n8n } = scene;
	sandbox.inventory.fill(AGENCY, PROPERTIES);
	const trigger = agentInventoryTrigger(await scene.ourInventoryCredential(), {
		pollTimes: everySeconds(POLL_EVERY_S),
	});
	let workflow: StoredWorkflow | undefined;
	const baseline = await measured(scene, async () => {
		const active = (workflow = await scene.active(chain('Changes', trigger, limit())));
		await until('the baseline', DEADLINE_MS, async () => {
			await sleep(LOOK_EVERY_MS);
			return (await stateOf(n8n.userFolder, active)).includes('watermark') || undefined;
		});
	});
	await nextPoll();
	const quiet = await measured(scene, async () => await sleep(POLL_EVERY_S * 1_000));
	const stateBytes = workflow ? (await stateOf(n8n.userFolder, workflow)).length : NaN;
	return { baseline, quiet, stateBytes };
}

async function measured({ n8n, sandbox }: Scene, work: () => Promise<void>): Promise<Figures> {
	n8n.resetPeakMemory();
	sandbox.resetCounts();
	const [cpu, startedAt] = [cpuMs(n8n.pid), performance.now()];
	await work();
	return {
		ms: performance.now() - startedAt,
		cpu: cpuMs(n8n.pid) - cpu,
		requests: sandbox.counts.dataRequests,
		peakMb: n8n.peakMemory() / 1e6,
	};
}

/** Until two seconds before a poll. */
async function nextPoll(): Promise<void> {
	const every = POLL_EVERY_S * 1_000;
	await sleep(every - ((Date.now() + 2_000) % every));
}
