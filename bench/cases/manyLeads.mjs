// @ts-check
import { median, sum } from '../lib/measure.mjs';
import { times, whole } from '../lib/report.mjs';
import { inTurn, Scene } from '../lib/scene.mjs';
import {
	agentLeads,
	httpRequest,
	leadsCredential,
	limit,
	oauth2ForLeads,
	splitOut,
} from '../lib/subjects.mjs';

const RUNS_EACH = 2;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PERIOD = { period: 'recent', recentAmount: 30, recentUnit: 'days' };
const UTC_SECONDS = "toUTC().toFormat(\"yyyy-MM-dd'T'HH:mm:ss'Z'\")";

/** @typedef {(scene: Scene) => Promise<import('../lib/subjects.mjs').NodeInput[]>} Subject */

/** @type {Record<string, Subject>} */
const SUBJECTS = {
	'HTTP Request + Split Out': async (scene) => [
		httpRequest(await oauth2ForLeads(scene.n8n, scene.sandbox, scene.client('leads')), {
			url: `${scene.sandbox.leadsUrl}/applicant-leads`,
			query: {
				'from-time': `={{ $now.minus({ days: 30 }).${UTC_SECONDS} }}`,
				'to-time': `={{ $now.${UTC_SECONDS} }}`,
			},
		}),
		splitOut('applicants'),
	],
	'Agent Leads': async (scene) => [
		agentLeads(await leadsCredential(scene.n8n, scene.sandbox, scene.client('leads')), PERIOD),
	],
	'Agent Leads, Simplify off': async (scene) => [
		agentLeads(await leadsCredential(scene.n8n, scene.sandbox, scene.client('leads')), {
			...PERIOD,
			simplify: false,
		}),
	],
};

/**
 * @param {import('../lib/scene.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function manyLeads(bench) {
	const [leads, runsEach] = bench.quick ? [10_000, 1] : [30_000, RUNS_EACH];

	/** @param {Subject} subject */
	const measure = async (subject) =>
		// A fresh n8n each time: one that has held many leads does not give the memory back.
		await Scene.play(bench.harness, async (scene) => {
			const { n8n, sandbox } = scene;
			const now = Date.now();
			// An hour from either end: nothing ages out while the run goes on.
			sandbox.addLeads('applicant', leads, { from: now - 30 * DAY + HOUR, to: now - HOUR });
			const nodes = await subject(scene);
			const workflow = await scene.workflow('Many leads', [...nodes, limit()]);
			n8n.resetPeakMemory();
			const restMb = n8n.peakMemory() / 1e6;
			const names = nodes.map(({ name }) => name);
			const runs = [];
			for (let run = 1; run <= runsEach; run++) {
				const { ms, requests, peakMb, execution } = await scene.run(workflow, {
					node: names.at(-1) ?? '',
					items: leads,
				});
				const nodeMs = sum(names.map((name) => execution.runs(name)[0]?.executionTime ?? NaN));
				runs.push({ ms, nodeMs, requests, peakMb });
			}
			return { runs, peakMb: runs[0]?.peakMb ?? NaN, restMb };
		});

	const variants = Object.entries(SUBJECTS).slice(0, bench.quick ? 2 : undefined);
	const played = await inTurn(
		bench,
		Object.fromEntries(variants.map(([name, subject]) => [name, () => measure(subject)])),
	);
	const figures = [...played].map(([name, all]) => ({
		name,
		nodeMs: median(all.flatMap(({ runs }) => runs.map(({ nodeMs }) => nodeMs))),
		ms: median(all.flatMap(({ runs }) => runs.map(({ ms }) => ms))),
		requests: median(all.flatMap(({ runs }) => runs.map(({ requests }) => requests))),
		peakMb: median(all.map(({ peakMb }) => peakMb)),
		restMb: median(all.map(({ restMb }) => restMb)),
	}));
	const [theirs, ...ours] = figures;
	if (!theirs) throw new Error('There is nothing to compare with');

	return {
		title: `${whole(leads)} leads of 30 days in one run`,
		about: `All applicant leads of the last 30 days, one item for each. Every round has a fresh n8n for each row, which runs the workflow ${runsEach} times: the times are medians of ${bench.rounds * runsEach} runs, the peak is that of the first run in each round, and n8n’s memory before it is in the table too.`,
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
		rows: figures.map((each) => [
			each.name,
			whole(each.nodeMs),
			times(each.nodeMs / theirs.nodeMs),
			whole(each.ms),
			whole(each.peakMb),
			times(each.peakMb / theirs.peakMb),
			whole(each.restMb),
			whole(each.requests),
		]),
		goals: ours.flatMap((each) => [
			atMost(`${each.name}: node time at most 1.00 × HTTP Request`, each.nodeMs / theirs.nodeMs),
			atMost(`${each.name}: peak memory at most 1.00 × HTTP Request`, each.peakMb / theirs.peakMb),
		]),
		notes: [
			'Agent Leads asks day by day: 30 answers that n8n need not hold at once, where the HTTP Request node gets everything in one.',
		],
	};
}

/** @param {string} text @param {number} ratio */
const atMost = (text, ratio) => ({ text, figure: times(ratio), isMet: ratio <= 1 });
