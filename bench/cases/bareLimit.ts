import { DAY_MS, HOUR_MS } from '../../service/basics/times';
import type { StoredWorkflow } from '../../test/lab/n8n';
import { ALL_LEADS, addLeads, BRANCHES, byAgentLeads } from '../lib/branches';
import { ourCredential } from '../lib/credentials';
import { median, sum } from '../lib/figures';
import { bareRuns, urlsAsked } from '../lib/limit';
import { agentLeads, limit } from '../lib/nodes';
import { profiled } from '../lib/profile';
import { say, times, whole, type Goal, type Result, type Settings } from '../lib/result';
import { Scene, type Expected } from '../lib/scene';

/** Milliseconds of our node, and of the same requests without n8n right after it. */
interface Pair {
	ours: number;
	bare: number;
	requests: number;
}

type Pairs = Record<string, Pair[]>;

/** What is run, and in which nodes its time is spent. */
interface Subject {
	workflow: StoredWorkflow;
	nodes: string[];
	expected: Expected;
	branches?: string[];
	runs: number;
}

const MOST = 1.5;
const NODE = 'Agent Leads';
const SIMPLIFIED = 'leads, Simplify on';
const RAW = 'leads, Simplify off';
const BRANCH_BY_BRANCH = '40 branches, both lead types';

export async function bareLimit({ isQuick, rounds }: Settings): Promise<Result> {
	const leads = isQuick ? 10_000 : 30_000;
	const pairs: Pairs = {};
	for (let round = 1; round <= rounds; round++) {
		say(`round ${round} of ${rounds}: our nodes and plain Node.js`);
		await Scene.play(async (scene) => await playRound(scene, leads, pairs));
	}
	return report(pairs, leads, isQuick ? [] : [await whereItGoes(leads)]);
}

/** In a fresh n8n. */
async function playRound(scene: Scene, leads: number, pairs: Pairs): Promise<void> {
	addMonth(scene, leads);
	const month = { nodes: [NODE], expected: { node: NODE, items: leads }, runs: 2 };
	for (const [name, simplify] of [
		[SIMPLIFIED, true],
		[RAW, false],
	] as const) {
		const workflow = await monthOfLeads(scene, simplify);
		(pairs[name] ??= []).push(...(await play(scene, { workflow, ...month })));
	}
	addLeads(scene);
	(pairs[BRANCH_BY_BRANCH] ??= []).push(
		...(await play(scene, {
			workflow: await byAgentLeads(scene),
			nodes: ['applicants', 'appraisals'],
			expected: ALL_LEADS,
			branches: BRANCHES,
			runs: 1,
		})),
	);
}

function addMonth({ sandbox }: Scene, leads: number): void {
	const now = Date.now();
	const days = { from: now - 30 * DAY_MS + HOUR_MS, to: now - HOUR_MS };
	sandbox.addLeads('applicant', leads, days);
}

async function monthOfLeads(scene: Scene, simplify: boolean): Promise<StoredWorkflow> {
	const parameters = { period: 'recent', recentAmount: 30, recentUnit: 'days', simplify };
	const node = agentLeads(await ourCredential(scene, 'leads'), parameters, NODE);
	return await scene.workflow('A month of leads', [node, limit()]);
}

/** The runs in n8n, and then as many without it, from cold each. */
async function play(
	scene: Scene,
	{ workflow, nodes, expected, branches, runs }: Subject,
): Promise<Pair[]> {
	const ours: number[] = [];
	for (let run = 1; run <= runs; run++) {
		const { execution } = await scene.run(workflow, expected);
		ours.push(sum(nodes.map((name) => execution.runs(name)[0]?.executionTime ?? NaN)));
	}
	const urls = urlsAsked(scene);
	const bare = await bareRuns(scene, { urls, runs, items: expected.items, branches });
	return bare.map(({ ms }, run) => ({
		ours: ours[run] ?? NaN,
		bare: ms,
		requests: urls.length,
	}));
}

/** Of the node time of a second run, from a profile: n8n’s own code is warm by then. */
async function whereItGoes(leads: number): Promise<string> {
	say('where the time goes');
	const shares = await profiled(async (scene) => {
		addMonth(scene, leads);
		const workflow = await monthOfLeads(scene, true);
		const run = async () => await scene.run(workflow, { node: NODE, items: leads });
		await run();
		return async () => {
			const { startTime, executionTime } = (await run()).execution.runs(NODE)[0] ?? {};
			return { from: startTime ?? NaN, to: (startTime ?? NaN) + (executionTime ?? NaN) };
		};
	});
	const parts = shares.map(([owner, share]) => `${owner} ${whole(100 * share)}%`);
	return `Where the node time of ${whole(leads)} ${SIMPLIFIED} goes, by a profile of one run: ${parts.join(', ')}.`;
}

function report(pairs: Pairs, leads: number, notes: string[]): Result {
	return {
		title: 'The bare limit',
		about: `What the nodes take beside plain Node.js, which sends the same requests with undici, four at a time on connections that stay open, parses the answers with JSON.parse and makes an item of each lead; it repeats nothing, and neither checks, sorts, simplifies nor stores a lead. Both begin without a token, in a fresh process, on the same Node.js, one after the other. The ratio is the median of the pairs’ own ratios.`,
		columns: ['Work', 'Requests', 'Node time (ms)', 'Plain Node.js (ms)', 'Ratio'],
		rows: Object.entries(pairs).map(([name, all]) => [
			name === BRANCH_BY_BRANCH ? name : `${whole(leads)} ${name}`,
			whole(median(all.map(({ requests }) => requests))),
			whole(median(all.map(({ ours }) => ours))),
			whole(median(all.map(({ bare }) => bare))),
			times(ratioOf(all)),
		]),
		goals: [SIMPLIFIED, RAW].map((name): Goal => {
			const ratio = ratioOf(pairs[name] ?? []);
			return {
				text: `${whole(leads)} ${name}: node time at most ${times(MOST)} plain Node.js`,
				figure: times(ratio),
				isMet: ratio <= MOST,
			};
		}),
		notes,
	};
}

function ratioOf(pairs: Pair[]): number {
	return median(pairs.map(({ ours, bare }) => ours / bare));
}
