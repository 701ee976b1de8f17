import type { StoredWorkflow } from '../../test/lab/n8n';
import { ALL_LEADS, byAgentLeads, byLoop, LEADS_PATH } from '../lib/branches';
import { figureOf, figuresOf, median, sum, valuesOf } from '../lib/figures';
import { timed } from '../lib/measure';
import { times, whole, type Goal, type Result, type Settings } from '../lib/result';
import { inTurn, type Scene } from '../lib/scene';

interface Run {
	ms: number;
	/** How many requests were answered with 429. */
	refused: number;
	isComplete: boolean;
}

interface Figures {
	name: string;
	refused: number;
	completed: number;
	medianMs: number;
	meanMs: number;
}

const RUNS = 25;
const SHARE = 0.01;
const LATENCY_MS = 100;
const LONGEST_RATIO = 1.5;
const CALM = 'Agent Leads, no faults';
const BUSY = 'Agent Leads, 1% are 429';
const LOOP = 'HTTP Request in a loop, 1% are 429';

/** The scene needs the leads of `addLeads`. */
export async function busyService({ isQuick }: Settings, scene: Scene): Promise<Result> {
	const count = isQuick ? 1 : RUNS;
	return report(await measure(scene, count), count);
}

async function measure(scene: Scene, count: number): Promise<Figures[]> {
	const [ours, theirs] = [await byAgentLeads(scene), await byLoop(scene)];
	const runs = await inTurn(count, {
		[CALM]: async () => await runOnce(scene, ours, { share: 0, latencyMs: LATENCY_MS }),
		[BUSY]: async () => await runOnce(scene, ours, { share: SHARE, latencyMs: LATENCY_MS }),
		[LOOP]: async () => await runOnce(scene, theirs, { share: SHARE, latencyMs: 0 }),
	});
	return figuresOf(runs, (all) => ({
		refused: sum(valuesOf(all, 'refused')),
		completed: all.filter(({ isComplete }) => isComplete).length,
		medianMs: median(valuesOf(all, 'ms')),
		meanMs: sum(valuesOf(all, 'ms')) / count,
	}));
}

/** One run; if it fails it is counted, not repeated. */
async function runOnce(
	{ n8n, sandbox }: Scene,
	workflow: StoredWorkflow,
	{ share, latencyMs }: { share: number; latencyMs: number },
): Promise<Run> {
	const target = { path: LEADS_PATH, times: Infinity };
	const faults = [
		sandbox.faults.add({ ...target, kind: 'latency', ms: latencyMs }),
		sandbox.faults.add({ ...target, kind: 'status', status: 429, probability: share }),
	];
	sandbox.resetCounts();
	const { ms, result } = await timed(async () => await n8n.runByWebhook(workflow));
	for (const fault of faults) fault.remove();
	const refused = sandbox.requests.filter(({ status }) => status === 429).length;
	const execution = await result.execution();
	const items = execution.items(ALL_LEADS.node).length;
	const isComplete = execution.status === 'success' && items === ALL_LEADS.items;
	return { ms, refused, isComplete };
}

function report(figures: Figures[], count: number): Result {
	const calm = figureOf(figures, CALM);
	return {
		title: 'A busy service: 1% of its answers are 429',
		about: `The runs of 40 branches and both lead types, ${count} one after the other, 80 requests each, without n8n’s “Retry On Fail” and without a Retry-After. The service takes ${LATENCY_MS} ms for a request; for the HTTP Request node, of which only the completed runs count here, it answers at once.`,
		columns: [
			'Runs',
			'429s met',
			'Completed runs',
			'Wall time, median (ms)',
			'Wall time, mean (ms)',
			'Ratio of means',
		],
		rows: figures.map(({ name, refused, completed, medianMs, meanMs }) => [
			name,
			whole(refused),
			`${completed} of ${count}`,
			whole(medianMs),
			whole(meanMs),
			name === LOOP ? '' : times(meanMs / calm.meanMs),
		]),
		goals: goals(calm, figureOf(figures, BUSY), count),
		notes: [
			'The wait before the first repeat is random, up to a second, and meanwhile the other requests go on. A service that answers at once would make the waits look longer beside a run of a fraction of a second.',
		],
	};
}

function goals(calm: Figures, busy: Figures, count: number): Goal[] {
	const ratio = busy.meanMs / calm.meanMs;
	return [
		{
			text: 'All runs complete',
			figure: `${busy.completed} of ${count}`,
			isMet: busy.completed === count && busy.refused > 0,
		},
		{
			text: `Wall time within ${LONGEST_RATIO}× of no faults`,
			figure: times(ratio),
			isMet: ratio <= LONGEST_RATIO,
		},
	];
}
