import { DAY_MS, HOUR_MS } from '../../service/basics/times';
import type { NodeInput, StoredWorkflow } from '../../test/lab/n8n';
import { oauth2ForLeads, ourCredential } from '../lib/credentials';
import { figuresOf, median, medianOf, sum, valuesOf } from '../lib/figures';
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
	/** Of the first of the subjects, each the median of the ratios run by run: other work of the machine meets both. */
	ratios: { nodeMs: number; peakMb: number };
}

/** At most so many times what HTTP Request takes; the raw leads are what it puts out as well. */
const MOST = {
	'Agent Leads': { nodeMs: 0.85, peakMb: 0.75 },
	'Agent Leads, Simplify off': { nodeMs: 1, peakMb: 1 },
};

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
	const size = settings.isQuick ? { leads: 10_000, runsEach: 1 } : { leads: 30_000, runsEach: 3 };
	return report(await measure(settings, size), size, settings.rounds);
}

async function measure({ isQuick, rounds }: Settings, size: Size): Promise<Figures[]> {
	const subjects = Object.entries(SUBJECTS).slice(0, isQuick ? 2 : undefined);
	const played = await inTurn(
		rounds,
		Object.fromEntries(
			subjects.map(([name, subject]) => [
				name,
				async (round: number) => await playRound(subject, size, round),
			]),
		),
	);
	const [theirs = []] = played.values();
	return figuresOf(played, (all) => {
		const runs = runsIn(all);
		return {
			nodeMs: medianOf(runs, 'nodeMs'),
			ms: medianOf(runs, 'ms'),
			requests: medianOf(runs, 'requests'),
			peakMb: medianOf(all, 'peakMb'),
			restMb: medianOf(all, 'restMb'),
			ratios: {
				nodeMs: ratioOf(valuesOf(runs, 'nodeMs'), valuesOf(runsIn(theirs), 'nodeMs')),
				peakMb: ratioOf(valuesOf(all, 'peakMb'), valuesOf(theirs, 'peakMb')),
			},
		};
	});
}

function runsIn(rounds: Round[]): Run[] {
	return rounds.flatMap(({ runs }) => runs);
}

function ratioOf(values: number[], others: number[]): number {
	return median(values.map((value, index) => value / (others[index] ?? NaN)));
}

/**
 * In a fresh n8n: one that has held many leads does not give the memory back. Each round has leads of its own: by
 * chance, an answer may hold a round number of them, which costs Agent Leads a request or two.
 */
async function playRound(
	subject: Subject,
	{ leads, runsEach }: Size,
	seed: number,
): Promise<Round> {
	const play = async (scene: Scene) => {
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
	};
	return await Scene.play(play, {}, seed);
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
	return {
		title: `${whole(leads)} leads of 30 days in one run`,
		about: `All applicant leads of the last 30 days, one item for each. Every round has a fresh n8n for each row, which runs the workflow ${runsEach} times: the times are medians of ${rounds * runsEach} runs, the peak is that of the first run in each round, and n8n’s memory before it is in the table too. A ratio is the median of the ratios of one run, or peak, to the one beside it.`,
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
		rows: figures.map(row),
		goals: Object.entries(MOST).flatMap(([name, most]) =>
			figures.filter((each) => each.name === name).flatMap((each) => goals(each, most)),
		),
		notes: [
			'Agent Leads asks for about 2,000 leads at a time, which n8n need not hold at once, where the HTTP Request node gets everything in one.',
		],
	};
}

function row(each: Figures): string[] {
	return [
		each.name,
		whole(each.nodeMs),
		times(each.ratios.nodeMs),
		whole(each.ms),
		whole(each.peakMb),
		times(each.ratios.peakMb),
		whole(each.restMb),
		whole(each.requests),
	];
}

function goals({ name, ratios }: Figures, most: Figures['ratios']): Goal[] {
	return [
		atMost(most.nodeMs, `${name}: node time`, ratios.nodeMs),
		atMost(most.peakMb, `${name}: peak memory`, ratios.peakMb),
	];
}

function atMost(most: number, what: string, ratio: number): Goal {
	const text = `${what} at most ${times(most)} HTTP Request`;
	return { text, figure: times(ratio), isMet: ratio <= most };
}
