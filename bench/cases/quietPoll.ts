import { setTimeout as sleep } from 'node:timers/promises';

import { DAY_MS } from '../../service/basics/times';
import { chain, everySeconds, until, type StoredWorkflow } from '../../test/lab/n8n';
import type { Sandbox } from '../../test/lab/sandbox';
import { BRANCHES } from '../lib/branches';
import { ourCredential } from '../lib/credentials';
import { stateOf } from '../lib/database';
import { median } from '../lib/figures';
import { cpuRates, type Windows } from '../lib/measure';
import { agentLeadsTrigger, limit } from '../lib/nodes';
import {
	say,
	tenths,
	times,
	whole,
	type Goal,
	type Plot,
	type Result,
	type Settings,
} from '../lib/result';
import { Scene } from '../lib/scene';

interface Figures {
	/** How many leads were delivered before. */
	leads: number;
	/** CPU milliseconds for a poll, without those of an idle n8n. */
	cpuMs: number;
	stateBytes: number;
	/** Requests of a poll. */
	requests: number;
	/** CPU milliseconds per second of an idle n8n. */
	idleRate: number;
}

const POLL_EVERY_S = 2;
const TYPES = 2;
const CATCH_UP_DEADLINE_MS = 300_000;

/** What counts as flat: figures of one machine differ by as much from run to run. */
const FLAT = 1.25;

/** What the trigger keeps of 15,000 leads that it has delivered, and of the look-back of 80 scopes. */
const MOST_STATE_BYTES = 150_000;

export async function quietPoll(settings: Settings): Promise<Result> {
	return report(await measure(settings));
}

async function measure({ isQuick, rounds }: Settings): Promise<Figures[]> {
	if (isQuick) {
		const plan = { windows: 1, seconds: 4 };
		return await Promise.all([1_000, 10_000].map((leads) => measureAfter(leads, plan)));
	}
	const figures: Figures[] = [];
	for (const leads of [1_000, 10_000, 100_000])
		figures.push(await measureAfter(leads, { windows: rounds, seconds: 8 }));
	return figures;
}

async function measureAfter(leads: number, plan: Windows): Promise<Figures> {
	say(`${whole(leads)} leads delivered, then quiet polls`);
	return await Scene.play(async (scene) => {
		addLeads(scene.sandbox, leads);
		const workflow = await activate(scene);
		await caughtUp(scene.sandbox);
		await deliverLast(scene, workflow);
		return { leads, ...(await watch(scene, workflow, plan)) };
	});
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
		await sleep(3 * POLL_EVERY_S * 1_000);
		const polls = (sandbox.counts.dataRequests - dataRequests) / (BRANCHES.length * TYPES);
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

/** Watches n8n while it polls, and then while it does not. */
async function watch(
	{ n8n, sandbox }: Scene,
	workflow: StoredWorkflow,
	plan: Windows,
): Promise<Omit<Figures, 'leads'>> {
	sandbox.resetCounts();
	const rate = median(await cpuRates(n8n.pid, plan));
	const { dataRequests } = sandbox.counts;
	const polls = pollsIn(sandbox);
	const stateBytes = Buffer.byteLength(await stateOf(n8n.userFolder, workflow));
	await n8n.deactivate(workflow);
	const idleRate = median(await cpuRates(n8n.pid, plan));
	const pollsPerSecond = polls / (plan.windows * plan.seconds);
	return {
		cpuMs: (rate - idleRate) / pollsPerSecond,
		stateBytes,
		requests: dataRequests / polls,
		idleRate,
	};
}

/** How many polls there were since the counts were reset: each asks once for the applicants of a branch. */
function pollsIn(sandbox: Sandbox): number {
	return sandbox.requests.filter(
		({ path, query }) =>
			path.endsWith('/applicant-leads') && query['branch-id']?.[0] === BRANCHES[0],
	).length;
}

function report(figures: Figures[]): Result {
	return {
		title: 'A quiet poll of the trigger, after many leads',
		about: `Agent Leads Trigger with ${BRANCHES.length} branches and both lead types, every ${POLL_EVERY_S} seconds, once it has delivered the leads of 30 days, then one for each branch and type, and nothing new comes: CPU time of n8n per poll, less what n8n takes with the workflow deactivated, and the bytes that it keeps of the trigger’s progress.`,
		columns: [
			'Leads delivered',
			'CPU per poll (ms)',
			'State (bytes)',
			'Requests per poll',
			'Idle n8n (ms CPU per s)',
		],
		rows: figures.map((each) => [
			whole(each.leads),
			whole(each.cpuMs),
			whole(each.stateBytes),
			tenths(each.requests),
			whole(each.idleRate),
		]),
		goals: goals(figures),
		plot: plotOf(figures),
	};
}

function goals(figures: Figures[]): Goal[] {
	const [fewest, most] = [figures[0], figures.at(-1)];
	if (!fewest || !most) throw new Error('Nothing was measured');
	const growth = most.cpuMs / fewest.cpuMs;
	return [
		{
			text: `CPU per poll is flat: at most ${FLAT} × from the fewest to the most leads`,
			figure: times(growth),
			// A ratio of 0 or less comes of a figure that is none, such as that of no poll at all.
			isMet: growth > 0 && growth <= FLAT,
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
		alt: 'CPU time of a quiet poll, and kilobytes of progress, over the leads delivered before',
		points: figures.flatMap(({ leads, cpuMs, stateBytes }) => [
			{ series: 'CPU per poll (ms)', x: leads, y: cpuMs },
			{ series: 'State (kB)', x: leads, y: stateBytes / 1_000 },
		]),
		x: { title: 'Leads delivered before', scale: 'log' },
		y: { title: 'ms, kB' },
	};
}
