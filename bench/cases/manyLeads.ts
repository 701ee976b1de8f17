import { DAY_MS, HOUR_MS } from '../../service/basics/times';
import { Failure } from '../../test/lab/failure';
import { isFinished, until, type NodeInput, type StoredWorkflow } from '../../test/lab/n8n';
import { inTurn, medianOf, ratioOf, sum } from '../lib/figures';
import { timed } from '../lib/measure';
import { agentLeads, httpRequest, splitOut } from '../lib/nodes';
import { atMost, times, whole, type Result, type Settings } from '../lib/report';
import { Scene } from '../lib/scene';

interface Run {
	ms: number;
	nodeMs: number;
	requests: number;
	peakMb: number;
}

const THEIRS = 'HTTP Request + Split Out';
const SIMPLE = 'Agent Leads';
const RAW = 'Agent Leads, Simplify off';

const PERIOD = { period: 'recent', recentAmount: 30, recentUnit: 'days' };
const UTC_SECONDS = "toUTC().toFormat(\"yyyy-MM-dd'T'HH:mm:ss'Z'\")";
const STORING_DEADLINE_MS = 60_000;

/** The nodes that get all leads of the last 30 days, the last one with an item for each. */
const SUBJECTS: Record<string, (scene: Scene) => Promise<NodeInput[]>> = {
	[THEIRS]: async (scene) => [
		httpRequest(await scene.oauth2(), `${scene.sandbox.leadsUrl}/applicant-leads`, {
			'from-time': `={{ $now.minus({ days: 30 }).${UTC_SECONDS} }}`,
			'to-time': `={{ $now.${UTC_SECONDS} }}`,
		}),
		splitOut('applicants'),
	],
	[SIMPLE]: async (scene) => [agentLeads(await scene.ourCredential(), PERIOD)],
	[RAW]: async (scene) => [agentLeads(await scene.ourCredential(), { ...PERIOD, simplify: false })],
};

export async function manyLeads({ isQuick, rounds }: Settings): Promise<Result> {
	const leads = isQuick ? 10_000 : 30_000;
	const variants = Object.entries(SUBJECTS).map(([name, subject]) => [
		name,
		async (round: number) => await playRound(subject, leads, round),
	]);
	const runs = await inTurn<string, Run>(
		rounds,
		Object.fromEntries(variants) as Record<string, (round: number) => Promise<Run>>,
	);
	const ratio = (name: string, key: 'nodeMs' | 'peakMb') =>
		ratioOf(valuesOf(runs[name], key), valuesOf(runs[THEIRS], key));
	return {
		title: `${whole(leads)} leads of 30 days in one run`,
		about: `All applicant leads of the last 30 days, one item for each, in a fresh n8n for each of ${rounds} rounds. A ratio is the median of the ratios round by round.`,
		columns: [
			'Nodes',
			'Node time (ms)',
			'Ratio of node times',
			'Wall time (ms)',
			'n8n’s peak memory (MB)',
			'Ratio of peaks',
			'Requests',
		],
		rows: Object.entries(runs).map(([name, all]) => [
			name,
			whole(medianOf(all, 'nodeMs')),
			times(ratio(name, 'nodeMs')),
			whole(medianOf(all, 'ms')),
			whole(medianOf(all, 'peakMb')),
			times(ratio(name, 'peakMb')),
			whole(medianOf(all, 'requests')),
		]),
		goals: [
			atMost(0.85, 'Node time, beside HTTP Request:', ratio(SIMPLE, 'nodeMs')),
			atMost(0.75, 'Peak memory, beside HTTP Request:', ratio(SIMPLE, 'peakMb')),
			atMost(1, 'Simplify off: node time, beside HTTP Request:', ratio(RAW, 'nodeMs')),
			atMost(1, 'Simplify off: peak memory, beside HTTP Request:', ratio(RAW, 'peakMb')),
		],
	};
}

function valuesOf(runs: Run[] = [], key: keyof Run): number[] {
	return runs.map((run) => run[key]);
}

/**
 * In a fresh n8n: one that has held many leads does not give the memory back. Each round has leads of its own: by
 * chance, an answer may hold a round number of them, which costs Agent Leads a request or two.
 */
async function playRound(
	subject: (scene: Scene) => Promise<NodeInput[]>,
	leads: number,
	seed: number,
): Promise<Run> {
	const play = async (scene: Scene) => {
		const now = Date.now();
		// An hour from either end: no lead leaves the period while the run goes on.
		const period = { from: now - 30 * DAY_MS + HOUR_MS, to: now - HOUR_MS };
		scene.sandbox.addLeads('applicant', leads, period);
		const nodes = await subject(scene);
		const workflow = await scene.workflow('Many leads', nodes);
		const names = nodes.map(({ name }) => name);
		return await run(scene, workflow, names, leads);
	};
	return await Scene.play(play, {}, seed);
}

async function run(
	{ n8n, sandbox }: Scene,
	workflow: StoredWorkflow,
	names: string[],
	leads: number,
): Promise<Run> {
	n8n.resetPeakMemory();
	const { ms } = await timed(async () => await n8n.runByWebhook(workflow));
	await until('the execution to be stored', STORING_DEADLINE_MS, async () =>
		(await n8n.listExecutions(workflow)).every(isFinished) ? true : undefined,
	);
	// Before the execution is read: n8n takes memory for that as well.
	const peakMb = n8n.peakMemory() / 1e6;
	const [newest] = await n8n.listExecutions(workflow);
	const execution = await n8n.getExecution(newest?.id ?? '');
	const found = execution.runs(names.at(-1) ?? '')[0]?.data?.main?.[0]?.length;
	if (execution.status !== 'success' || found !== leads)
		throw new Failure(`The run ended as ${execution.status}, with ${found} of ${leads} leads.`);
	const nodeMs = sum(names.map((name) => execution.runs(name)[0]?.executionTime ?? NaN));
	return { ms, nodeMs, requests: sandbox.counts.dataRequests, peakMb };
}
