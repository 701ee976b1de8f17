import { DAY_MS, HOUR_MS } from '../../service/basics/times';
import type { NodeInput, StoredWorkflow } from '../../test/lab/n8n';
import { oauth2ForLeads, ourCredential } from '../lib/credentials';
import { figuresOf, medianOf, sum } from '../lib/figures';
import { agentLeads, httpRequest, limit, splitOut } from '../lib/nodes';
import { times, whole, type Goal, type Result, type Settings } from '../lib/result';
import { inTurn, Scene } from '../lib/scene';

/** The nodes that get all leads of the last 30 days, the last one with an item for each. */
type Subject = (scene: Scene) => Promise<NodeInput[]>;

interface Size {
	leads: number;
	/** How often a fresh n8n runs the workflow. */
	runsEach: number;
}

interface Run {
	ms: number;
	nodeMs: number;
	requests: number;
	peakMb: number;
}

/** What one n8n has shown. */
interface Round {
	runs: Run[];
	/** Peak memory of the first run: n8n does not give it back. */
	peakMb: number;
	/** Memory before it. */
	restMb: number;
}

interface Figures extends Run {
	name: string;
	restMb: number;
}

const PERIOD = { period: 'recent', recentAmount: 30, recentUnit: 'days' };
const UTC_SECONDS = "toUTC().toFormat(\"yyyy-MM-dd'T'HH:mm:ss'Z'\")";

/** The first one is what the others are compared with. */
const SUBJECTS: Record<string, Subject> = {
	'HTTP Request + Split Out': async (scene) => [
		httpRequest(await oauth2ForLeads(scene), {
			url: `${scene.sandbox.leadsUrl}/applicant-leads`,
			query: {
				'from-time': `={{ $now.minus({ days: 30 }).${UTC_SECONDS} }}`,
				'to-time': `={{ $now.${UTC_SECONDS} }}`,
			},
		}),
		splitOut('applicants'),
	],
	'Agent Leads': async (scene) => [agentLeads(await ourCredential(scene, 'leads'), PERIOD)],
	'Agent Leads, Simplify off': async (scene) => [
		agentLeads(await ourCredential(scene, 'leads'), { ...PERIOD, simplify: false }),
	],
};

export async function manyLeads(settings: Settings): Promise<Result> {
	const size = settings.isQuick ? { leads: 10_000, runsEach: 1 } : { leads: 30_000, runsEach: 2 };
	return report(await measure(settings, size), size, settings.rounds);
}

async function measure({ isQuick, rounds }: Settings, size: Size): Promise<Figures[]> {
	const subjects = Object.entries(SUBJECTS).slice(0, isQuick ? 2 : undefined);
	const played = await inTurn(
		rounds,
		Object.fromEntries(
			subjects.map(([name, subject]) => [name, async () => await playRound(subject, size)]),
		),
	);
	return figuresOf(played, (all) => {
		const runs = all.flatMap((round) => round.runs);
		return {
			nodeMs: medianOf(runs, 'nodeMs'),
			ms: medianOf(runs, 'ms'),
			requests: medianOf(runs, 'requests'),
			peakMb: medianOf(all, 'peakMb'),
			restMb: medianOf(all, 'restMb'),
		};
	});
}

/** In a fresh n8n: one that has held many leads does not give the memory back. */
async function playRound(subject: Subject, { leads, runsEach }: Size): Promise<Round> {
	return await Scene.play(async (scene) => {
		addLeads(scene, leads);
		const nodes = await subject(scene);
		const workflow = await scene.workflow('Many leads', [...nodes, limit()]);
		scene.n8n.resetPeakMemory();
		const restMb = scene.n8n.peakMemory() / 1e6;
		const names = nodes.map(({ name }) => name);
		const runs: Run[] = [];
		for (let run = 1; run <= runsEach; run++)
			runs.push(await runOnce(scene, workflow, names, leads));
		return { runs, peakMb: runs[0]?.peakMb ?? NaN, restMb };
	});
}

function addLeads({ sandbox }: Scene, leads: number): void {
	const now = Date.now();
	// An hour from either end: no lead leaves the period while the run goes on.
	sandbox.addLeads('applicant', leads, { from: now - 30 * DAY_MS + HOUR_MS, to: now - HOUR_MS });
}

async function runOnce(
	scene: Scene,
	workflow: StoredWorkflow,
	names: string[],
	items: number,
): Promise<Run> {
	const expected = { node: names.at(-1) ?? '', items };
	const { ms, requests, peakMb, execution } = await scene.run(workflow, expected);
	const nodeMs = sum(names.map((name) => execution.runs(name)[0]?.executionTime ?? NaN));
	return { ms, nodeMs, requests, peakMb };
}

function report(figures: Figures[], { leads, runsEach }: Size, rounds: number): Result {
	const [theirs, ...ours] = figures;
	if (!theirs) throw new Error('There is nothing to compare with');
	return {
		title: `${whole(leads)} leads of 30 days in one run`,
		about: `All applicant leads of the last 30 days, one item for each. Every round has a fresh n8n for each row, which runs the workflow ${runsEach} times: the times are medians of ${rounds * runsEach} runs, the peak is that of the first run in each round, and n8n’s memory before it is in the table too.`,
		columns: [
			'Nodes',
			'Node time (ms)',
			'Ratio of node times',
			'Wall time (ms)',
			'n8n’s peak memory (MB)',
			'Ratio of peaks',
			'Before the run (MB)',
			'Requests',
		],
		rows: figures.map((each) => row(each, theirs)),
		goals: ours.flatMap((each) => goals(each, theirs)),
		notes: [
			'Agent Leads asks for about 2,000 leads at a time, which n8n need not hold at once, where the HTTP Request node gets everything in one.',
		],
	};
}

function row(each: Figures, theirs: Figures): string[] {
	return [
		each.name,
		whole(each.nodeMs),
		times(each.nodeMs / theirs.nodeMs),
		whole(each.ms),
		whole(each.peakMb),
		times(each.peakMb / theirs.peakMb),
		whole(each.restMb),
		whole(each.requests),
	];
}

function goals(each: Figures, theirs: Figures): Goal[] {
	return [
		atMostOnce(`${each.name}: node time`, each.nodeMs / theirs.nodeMs),
		atMostOnce(`${each.name}: peak memory`, each.peakMb / theirs.peakMb),
	];
}

function atMostOnce(what: string, ratio: number): Goal {
	const text = `${what} at most 1.00 × HTTP Request`;
	return { text, figure: times(ratio), isMet: ratio <= 1 };
}
