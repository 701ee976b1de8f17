// @ts-check
import { median, sum, timed } from '../lib/measure.mjs';
import { times, whole } from '../lib/report.mjs';
import { inTurn } from '../lib/scene.mjs';
import { ALL_LEADS, byAgentLeads, byLoop } from './manyBranches.mjs';

const SHARE = 0.01;
const LATENCY_MS = 100;
const LONGEST_RATIO = 1.5;
const CALM = 'Agent Leads, no faults';
const BUSY = 'Agent Leads, 1 % are 429';
const LOOP = 'HTTP Request in a loop, 1 % are 429';

/**
 * The scene needs the leads of `addLeads`.
 *
 * @param {import('../lib/scene.mjs').Bench} bench
 * @param {import('../lib/scene.mjs').Scene} scene
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function busyService(bench, scene) {
	const { n8n, sandbox } = scene;
	const count = bench.quick ? 1 : 25;

	/**
	 * One run; if it fails it is counted, not repeated.
	 *
	 * @param {import('../lib/scene.mjs').StoredWorkflow} workflow
	 * @param {{ share: number, latencyMs: number }} service
	 */
	const run = async (workflow, { share, latencyMs }) => {
		const target = { path: /-leads$/, times: Infinity };
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
	};

	const [ours, theirs] = [await byAgentLeads(scene), await byLoop(scene)];
	const runs = await inTurn(
		{ ...bench, rounds: count },
		{
			[CALM]: async () => await run(ours, { share: 0, latencyMs: LATENCY_MS }),
			[BUSY]: async () => await run(ours, { share: SHARE, latencyMs: LATENCY_MS }),
			[LOOP]: async () => await run(theirs, { share: SHARE, latencyMs: 0 }),
		},
	);
	const figures = [...runs].map(([name, all]) => ({
		name,
		refused: sum(all.map(({ refused }) => refused)),
		completed: all.filter(({ isComplete }) => isComplete).length,
		medianMs: median(all.map(({ ms }) => ms)),
		meanMs: sum(all.map(({ ms }) => ms)) / count,
	}));
	const [calm, busy] = figures;
	if (!calm || !busy) throw new Error('There is nothing to compare');
	const ratio = busy.meanMs / calm.meanMs;

	return {
		title: 'A busy service: 1 % of its answers are 429',
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
		goals: [
			{
				text: 'All runs complete',
				figure: `${busy.completed} of ${count}`,
				isMet: busy.completed === count && busy.refused > 0,
			},
			{
				text: `Wall time within ${LONGEST_RATIO} × of no faults`,
				figure: times(ratio),
				isMet: ratio <= LONGEST_RATIO,
			},
		],
		notes: [
			'The wait before the first repeat is random, up to a second, and meanwhile the other requests go on. A service that answers at once would make the waits look longer beside a run of a fraction of a second.',
		],
	};
}
