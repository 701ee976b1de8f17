import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { DAY_MS, SECOND_MS } from '../../service/basics/times';
import { Failure } from '../../test/lab/failure';
import { chain, everySeconds, until, type StoredWorkflow } from '../../test/lab/n8n';
import { root } from '../../test/lab/paths';
import type { Sandbox } from '../../test/lab/sandbox';
import { BRANCHES } from '../lib/branches';
import { ourCredential } from '../lib/credentials';
import { stateOf } from '../../test/lab/n8n/database';
import { median, medianOf } from '../lib/figures';
import { cpuRates, fineCpuMs } from '../lib/measure';
import { agentLeadsTrigger, bareRequestsTrigger, limit } from '../lib/nodes';
import { say, times, whole, type Goal, type Plot, type Result, type Settings } from '../lib/result';
import { Scene } from '../lib/scene';

/** CPU milliseconds of n8n for a poll of the trigger, and for one of bare requests right after it. */
interface Pair {
	ours: number;
	bare: number;
}

interface Figures extends Pair {
	/** How many leads were delivered before. */
	leads: number;
	/** The median of the pairs' own ratios: what else the machine does meets both of a pair. */
	ratio: number;
	stateBytes: number;
	/** CPU milliseconds per second of an idle n8n. */
	idleRate: number;
}

/** The two triggers poll in turn: the bare one half of the time after ours. */
const POLL_EVERY_S = 4;
const TURN_S = POLL_EVERY_S / 2;

/** A turn begins so long before its poll. */
const LEAD_IN_S = 0.5;

const REQUESTS = BRANCHES.length * 2;
const CATCH_UP_DEADLINE_MS = 300_000;
const IDLE = { windows: 1, seconds: 4 };

const MOST_OF_BARE = 1.2;

/** What counts as flat: figures of one machine differ by as much from run to run. */
const FLAT = 1.25;

/** What the trigger keeps of 15,000 leads that it has delivered, and of the look-back of 80 scopes. */
const MOST_STATE_BYTES = 150_000;

export async function quietPoll({ isQuick, rounds }: Settings): Promise<Result> {
	const pairs = 4 * rounds;
	if (isQuick)
		return report(
			await Promise.all([1_000, 10_000].map((leads) => measureAfter(leads, pairs))),
			pairs,
		);
	const figures: Figures[] = [];
	for (const leads of [1_000, 10_000, 100_000]) figures.push(await measureAfter(leads, pairs));
	return report(figures, pairs);
}

async function measureAfter(leads: number, pairs: number): Promise<Figures> {
	say(`${whole(leads)} leads delivered, then quiet polls`);
	const play = async (scene: Scene): Promise<Figures> => {
		addLeads(scene.sandbox, leads);
		const workflow = await activate(scene);
		await caughtUp(scene.sandbox);
		await deliverLast(scene, workflow);
		return { leads, ...(await watch(scene, workflow, pairs)) };
	};
	return await Scene.play(play, { N8N_CUSTOM_EXTENSIONS: join(root, 'bench', 'bare') });
}

function addLeads(sandbox: Sandbox, leads: number): void {
	const now = Date.now();
	const days = { from: now - 29 * DAY_MS, to: now - DAY_MS, branchId: BRANCHES };
	sandbox.addLeads('applicant', Math.ceil(leads * 0.7), days);
	sandbox.addLeads('appraisal', Math.floor(leads * 0.3), days);
}

async function activate(scene: Scene): Promise<StoredWorkflow> {
	const trigger = agentLeadsTrigger(await ourCredential(scene, 'leads', BRANCHES), {
		pollTimes: everySeconds(POLL_EVERY_S),
		leadTypes: ['applicant', 'appraisal'],
		filterBy: 'branch',
		filterId: BRANCHES.join(','),
		startFrom: 'last30Days',
		runs: 'onePerPoll',
	});
	const workflow = await scene.n8n.createWorkflow({
		...chain('Leads', trigger, limit()),
		settings: { saveDataSuccessExecution: 'none', saveManualExecutions: false },
	});
	await scene.n8n.activate(workflow);
	return workflow;
}

/** Waits until the trigger asks once for each branch and type in a poll, and no longer day by day. */
async function caughtUp(sandbox: Sandbox): Promise<void> {
	await until('the trigger to catch up', CATCH_UP_DEADLINE_MS, async () => {
		const { dataRequests } = sandbox.counts;
		await sleep(3 * POLL_EVERY_S * SECOND_MS);
		const polls = (sandbox.counts.dataRequests - dataRequests) / REQUESTS;
		return (polls >= 2 && polls <= 4) || undefined;
	});
}

/** Submits a lead of each type for every branch, and waits until all are in the trigger's progress. */
async function deliverLast({ n8n, sandbox }: Scene, workflow: StoredWorkflow): Promise<void> {
	const last = BRANCHES.flatMap((branchId) => [
		sandbox.addLead('applicant', {}, { branchId }).id,
		sandbox.addLead('appraisal', {}, { branchId }).id,
	]);
	await until('the last leads', CATCH_UP_DEADLINE_MS, async () => {
		const state = await stateOf(n8n.userFolder, workflow);
		return last.every((id) => state.includes(id)) || undefined;
	});
}

/** Watches n8n while both triggers poll in turn, and then while none does. */
async function watch(
	scene: Scene,
	workflow: StoredWorkflow,
	count: number,
): Promise<Omit<Figures, 'leads'>> {
	const { n8n } = scene;
	const bare = await activateBare(scene);
	const pairs = await pairsOf(scene, count);
	const stateBytes = Buffer.byteLength(await stateOf(n8n.userFolder, workflow));
	await n8n.deactivate(workflow);
	await n8n.deactivate(bare);
	return {
		ours: medianOf(pairs, 'ours'),
		bare: medianOf(pairs, 'bare'),
		ratio: median(pairs.map(({ ours, bare }) => ours / bare)),
		stateBytes,
		idleRate: median(await cpuRates(n8n.pid, IDLE)),
	};
}

async function activateBare(scene: Scene): Promise<StoredWorkflow> {
	const trigger = bareRequestsTrigger(await ourCredential(scene, 'leads', BRANCHES), {
		pollTimes: everySeconds(POLL_EVERY_S, TURN_S),
		branches: BRANCHES.join(','),
	});
	const workflow = await scene.n8n.createWorkflow(chain('Bare requests', trigger, limit()));
	await scene.n8n.activate(workflow);
	return workflow;
}

/** @throws Failure if the machine is too busy for polls that keep to their turns */
async function pairsOf(scene: Scene, count: number): Promise<Pair[]> {
	const pairs: Pair[] = [];
	for (let tries = 0; tries < 3 * count; tries++) {
		await sleep(untilNextTurn());
		const ours = await turn(scene);
		const bare = await turn(scene);
		if (ours !== undefined && bare !== undefined) pairs.push({ ours, bare });
		if (pairs.length === count) return pairs;
	}
	throw new Failure(`Only ${pairs.length} of ${count} pairs of polls kept to their turns.`);
}

/** Milliseconds until a turn of our trigger begins. */
function untilNextTurn(): number {
	const every = POLL_EVERY_S * SECOND_MS;
	return every - ((Date.now() + LEAD_IN_S * SECOND_MS) % every);
}

/** @returns CPU milliseconds of n8n; undefined if the turn was not that of one whole poll */
async function turn({ n8n, sandbox }: Scene): Promise<number | undefined> {
	const before = { cpu: fineCpuMs(n8n.pid), requests: sandbox.counts.dataRequests };
	const ms = TURN_S * SECOND_MS;
	await sleep(ms - ((Date.now() + LEAD_IN_S * SECOND_MS) % ms));
	const isWhole = sandbox.counts.dataRequests - before.requests === REQUESTS;
	return isWhole ? fineCpuMs(n8n.pid) - before.cpu : undefined;
}

function report(figures: Figures[], pairs: number): Result {
	return {
		title: 'A quiet poll of the trigger, after many leads',
		about: `Agent Leads Trigger with ${BRANCHES.length} branches and both lead types, every ${POLL_EVERY_S} seconds, once it has delivered the leads of 30 days, then one for each branch and type, and nothing new comes: CPU time of n8n per poll, and the bytes that it keeps of the trigger’s progress. “Bare requests” is a trigger made for this benchmark alone: it sends the same ${REQUESTS} requests through n8n’s own helper, four at a time, and drops the answers. The two poll in turn in one n8n, ${pairs} times each; the ratio is the median of the ${pairs} pairs’ own ratios, so that other work of the machine meets both sides.`,
		columns: [
			'Leads delivered',
			'CPU per poll (ms)',
			'CPU of bare requests (ms)',
			'Ratio',
			'State (bytes)',
			'Idle n8n (ms CPU per s)',
		],
		rows: figures.map((each) => [
			whole(each.leads),
			whole(each.ours),
			whole(each.bare),
			times(each.ratio),
			whole(each.stateBytes),
			whole(each.idleRate),
		]),
		goals: goals(figures),
		plot: plotOf(figures),
	};
}

function goals(figures: Figures[]): Goal[] {
	const [fewest, most] = [figures[0], figures.at(-1)];
	if (!fewest || !most) throw new Error('Nothing was measured');
	const growth = most.ratio / fewest.ratio;
	const worst = Math.max(...figures.map(({ ratio }) => ratio));
	return [
		{
			text: `CPU per poll at most ${times(MOST_OF_BARE)} as many bare requests`,
			figure: times(worst),
			isMet: worst <= MOST_OF_BARE,
		},
		{
			text: `CPU per poll, beside bare requests, is flat: at most ${FLAT}× from the fewest to the most leads`,
			figure: times(growth),
			isMet: growth <= FLAT,
		},
		{
			text: `State stays small, however many leads: at most ${whole(MOST_STATE_BYTES)} bytes`,
			figure: whole(most.stateBytes),
			isMet: most.stateBytes <= MOST_STATE_BYTES,
		},
	];
}

function plotOf(figures: Figures[]): Plot {
	return {
		file: 'benchmark-poll.svg',
		alt: 'CPU time of a quiet poll and of bare requests, and kilobytes of progress, over the leads delivered before',
		points: figures.flatMap(({ leads, ours, bare, stateBytes }) => [
			{ series: 'CPU per poll (ms)', x: leads, y: ours },
			{ series: 'CPU of bare requests (ms)', x: leads, y: bare },
			{ series: 'State (kB)', x: leads, y: stateBytes / 1_000 },
		]),
		x: { title: 'Leads delivered before', scale: 'log' },
		y: { title: 'ms, kB' },
	};
}
