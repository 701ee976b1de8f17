import {
	ALL_LEADS,
	AT_ONCE,
	byAgentLeads,
	byLoop,
	byNodeAlone,
	LEADS_PATH,
	LOOP,
	OURS,
} from '../lib/branches';
import { figureOf, figuresOf, medianOf, mostOf } from '../lib/figures';
import { say, times, whole, type Goal, type Plot, type Result, type Settings } from '../lib/result';
import { inTurn, type Scene } from '../lib/scene';

interface Figures {
	name: string;
	/** What the service takes for a request, in milliseconds. */
	latency: number;
	ms: number;
	requests: number;
	tokens: number;
}

/** By what the service takes for a request. */
const MOST_OF_LOOP: Record<number, number> = { 0: 0.3, 50: 0.3, 150: 0.1 };

/** The first runs are at a slow service: there the difference is greatest. */
const FIRST_LATENCY_MS = 150;

const FIRST = `${OURS}, first run`;

/** The scene needs the leads of `addLeads`. */
export async function manyBranches(settings: Settings, scene: Scene): Promise<Result> {
	const figures: Figures[] = [];
	for (const latency of settings.isQuick ? [0] : [150, 50, 0])
		figures.push(...(await measure(settings, scene, latency)));
	return report(figures);
}

async function measure({ rounds }: Settings, scene: Scene, latency: number): Promise<Figures[]> {
	const { faults } = scene.sandbox;
	const slow = faults.add({ kind: 'latency', ms: latency, path: LEADS_PATH, times: Infinity });
	say(`the service takes ${latency} ms`);
	// Each workflow has a client of its own, and so no token yet.
	const runs = await inTurn(rounds, {
		[LOOP]: async () => await scene.run(await byLoop(scene), ALL_LEADS),
		[AT_ONCE]: async () => await scene.run(await byNodeAlone(scene), ALL_LEADS),
		[OURS]: async () => await scene.run(await byAgentLeads(scene), ALL_LEADS),
	});
	slow.remove();
	const [first] = runs.get(OURS) ?? [];
	// All later runs of the process know what the first one has learned.
	if (first && latency === FIRST_LATENCY_MS) runs.set(FIRST, [first]);
	return figuresOf(runs, (all) => ({
		latency,
		ms: medianOf(all, 'ms'),
		requests: mostOf(all, 'requests'),
		tokens: mostOf(all, 'tokens'),
	}));
}

function report(figures: Figures[]): Result {
	return {
		title: '40 branches, both lead types, Get Many',
		about: `80 requests, one for each branch and type, ${whole(ALL_LEADS.items)} leads in all, from cold: without a token. “In a loop” is Loop Over Items with one HTTP Request in it. “All at once” is one HTTP Request node with 40 input items: it sends them together, at a service that answers 429 to those who hurry. Agent Leads has 4 requests under way at first, and up to 16 once it knows that the service can bear them: the first run of a process knows nothing. Requests and tokens are the most of any round.`,
		columns: ['The service takes (ms)', 'Nodes', 'Wall time (ms)', 'Ratio', 'Requests', 'Tokens'],
		rows: figures.map((each) => [
			whole(each.latency),
			each.name,
			whole(each.ms),
			times(each.ms / loopBeside(each, figures).ms),
			whole(each.requests),
			whole(each.tokens),
		]),
		goals: figures
			.filter(({ name }) => name === OURS)
			.flatMap((ours) => goals(ours, loopBeside(ours, figures))),
		plot: plotOf(figures),
	};
}

/** The loop at the same service. */
function loopBeside({ latency }: Figures, figures: Figures[]): Figures {
	const beside = figures.filter((each) => each.latency === latency);
	return figureOf(beside, LOOP);
}

function goals(ours: Figures, loop: Figures): Goal[] {
	const ratio = ours.ms / loop.ms;
	const most = MOST_OF_LOOP[ours.latency] ?? 1;
	return [
		{
			text: `Service takes ${ours.latency} ms: wall time at most ${most.toFixed(2)}× a loop`,
			figure: times(ratio),
			isMet: ratio <= most,
		},
		{
			text: `Service takes ${ours.latency} ms: as many requests as a loop, 1 token`,
			figure: `${ours.requests} against ${loop.requests}, ${ours.tokens} token`,
			isMet: ours.requests === loop.requests && ours.tokens === 1,
		},
	];
}

function plotOf(figures: Figures[]): Plot {
	return {
		file: 'benchmark-branches.svg',
		alt: 'Wall time of 80 requests over the time that the service takes for one',
		points: figures
			.filter(({ name }) => name !== FIRST)
			.map(({ name, latency, ms }) => ({ series: name, x: latency, y: ms / 1_000 })),
		x: { title: 'The service takes for one request (ms)' },
		y: { title: 'Wall time of the run (s)' },
	};
}
