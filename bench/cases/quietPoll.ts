import { setTimeout as sleep } from 'node:timers/promises';

import { markOf } from '../../nodes/AgentLeadsTrigger/deliveredLeads';
import { DAY_MS, SECOND_MS } from '../../service/basics/times';
import { Failure } from '../../test/lab/failure';
import {
	chain,
	everySeconds,
	until,
	type NodeInput,
	type StoredWorkflow,
} from '../../test/lab/n8n';
import { stateOf } from '../../test/lab/n8n/database';
import { agentLeadsTrigger } from '../../test/lab/n8n/stage/nodes';
import { median, ratioOf } from '../lib/figures';
import { cpuMs } from '../lib/measure';
import { bareRequestsTrigger, limit } from '../lib/nodes';
import { atMost, say, times, whole, type Result, type Settings } from '../lib/report';
import { BARE_NODES, BRANCHES, Scene } from '../lib/scene';

interface Figures {
	/** How many leads were delivered before. */
	leads: number;
	/** CPU milliseconds of n8n for a poll of the trigger, and for one of bare requests right after it. */
	pairs: Array<{ ours: number; bare: number }>;
	stateBytes: number;
}

/** The two triggers poll in turn: the bare one half of the time after ours. */
const POLL_EVERY_S = 4;
const TURN_S = POLL_EVERY_S / 2;

/** A turn begins so long before its poll. */
const LEAD_IN_S = 0.5;

const REQUESTS = BRANCHES.length * 2;
const CATCH_UP_DEADLINE_MS = 300_000;

/** The goal for the progress that n8n stores for the trigger, in bytes. */
const MOST_STATE_BYTES = 100_000;

export async function quietPoll({ isQuick, rounds }: Settings): Promise<Result> {
	const figures: Figures[] = [];
	for (const leads of isQuick ? [1_000] : [1_000, 100_000])
		figures.push(await measureAfter(leads, 4 * rounds));
	return report(figures);
}

async function measureAfter(leads: number, count: number): Promise<Figures> {
	say(`${whole(leads)} leads delivered, then quiet polls`);
	const play = async (scene: Scene): Promise<Figures> => {
		const { n8n, sandbox } = scene;
		const now = Date.now();
		const days = { from: now - 29 * DAY_MS, to: now - DAY_MS, branchId: BRANCHES };
		sandbox.addLeads('applicant', Math.ceil(leads * 0.7), days);
		sandbox.addLeads('appraisal', Math.floor(leads * 0.3), days);
		const ours = agentLeadsTrigger(await scene.ourCredential(BRANCHES), {
			pollTimes: everySeconds(POLL_EVERY_S),
			leadTypes: ['applicant', 'appraisal'],
			filterBy: 'branch',
			filterId: BRANCHES.join(','),
			startFrom: 'last30Days',
			runs: 'onePerPoll',
		});
		const workflow = await activate(scene, ours);
		await caughtUp(scene);
		await deliverLast(scene, workflow);
		const bare = bareRequestsTrigger(await scene.ourCredential(BRANCHES), {
			pollTimes: everySeconds(POLL_EVERY_S, TURN_S),
			branches: BRANCHES.join(','),
		});
		await activate(scene, bare);
		const pairs = await pairsOf(scene, count);
		return { leads, pairs, stateBytes: Buffer.byteLength(await stateOf(n8n.userFolder, workflow)) };
	};
	return await Scene.play(play, BARE_NODES);
}

async function activate(scene: Scene, trigger: NodeInput): Promise<StoredWorkflow> {
	return await scene.active({
		...chain(trigger.name, trigger, limit()),
		settings: { saveDataSuccessExecution: 'none', saveManualExecutions: false },
	});
}

/** Waits until the trigger asks once for each branch and type in a poll, and no longer day by day. */
async function caughtUp({ sandbox }: Scene): Promise<void> {
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
		markOf('applicant', sandbox.addLead('applicant', {}, { branchId }).id),
		markOf('appraisal', sandbox.addLead('appraisal', {}, { branchId }).id),
	]);
	await until('the last leads', CATCH_UP_DEADLINE_MS, async () => {
		const state = await stateOf(n8n.userFolder, workflow);
		return last.every((mark) => state.includes(mark)) || undefined;
	});
}

/** @throws Failure if the machine is too busy for polls that keep to their turns */
async function pairsOf(scene: Scene, count: number): Promise<Figures['pairs']> {
	const pairs: Figures['pairs'] = [];
	for (let tries = 0; tries < 3 * count; tries++) {
		await nextTurn(POLL_EVERY_S);
		const ours = await turn(scene);
		const bare = await turn(scene);
		if (ours !== undefined && bare !== undefined) pairs.push({ ours, bare });
		if (pairs.length === count) return pairs;
	}
	throw new Failure(`Only ${pairs.length} of ${count} pairs of polls kept to their turns.`);
}

/** @returns CPU milliseconds of n8n; undefined if the turn was not that of one whole poll */
async function turn({ n8n, sandbox }: Scene): Promise<number | undefined> {
	const before = { cpu: cpuMs(n8n.pid), requests: sandbox.counts.dataRequests };
	await nextTurn(TURN_S);
	const isWhole = sandbox.counts.dataRequests - before.requests === REQUESTS;
	return isWhole ? cpuMs(n8n.pid) - before.cpu : undefined;
}

/** Waits until a turn begins, of those that come so often. */
async function nextTurn(everyS: number): Promise<void> {
	const every = everyS * SECOND_MS;
	await sleep(every - ((Date.now() + LEAD_IN_S * SECOND_MS) % every));
}

function report(figures: Figures[]): Result {
	const rows = figures.map(({ leads, pairs, stateBytes }) => {
		const [ours, bare] = [pairs.map((pair) => pair.ours), pairs.map((pair) => pair.bare)];
		return {
			leads,
			ours: median(ours),
			bare: median(bare),
			ratio: ratioOf(ours, bare),
			stateBytes,
		};
	});
	const state = Math.max(...figures.map(({ stateBytes }) => stateBytes));
	return {
		title: 'A quiet poll of the trigger, after many leads',
		about: `Agent Leads Trigger with ${BRANCHES.length} branches and both lead types, every ${POLL_EVERY_S} seconds, once it has delivered the leads of 30 days, then one for each branch and type, and nothing new comes: CPU time of n8n per poll, and the bytes that n8n keeps of the trigger’s progress. “Bare requests” is a trigger made for this benchmark alone: it sends the same ${REQUESTS} requests through n8n’s own helper, four at a time, and drops the answers. The two poll in turn in one n8n; the ratio is the median of the pairs’ own ratios, so that other work of the machine meets both sides.`,
		columns: [
			'Leads delivered',
			'CPU per poll (ms)',
			'CPU of bare requests (ms)',
			'Ratio',
			'State (bytes)',
		],
		rows: rows.map(({ leads, ours, bare, ratio, stateBytes }) => [
			...[leads, ours, bare].map(whole),
			times(ratio),
			whole(stateBytes),
		]),
		goals: [
			atMost(
				1.15,
				'CPU per poll, beside as many bare requests',
				Math.max(...rows.map(({ ratio }) => ratio)),
			),
			{
				text: `State, however many leads: at most ${whole(MOST_STATE_BYTES)} bytes`,
				figure: whole(state),
				isMet: state <= MOST_STATE_BYTES,
			},
		],
	};
}
