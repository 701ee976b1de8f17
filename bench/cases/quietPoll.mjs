// @ts-check
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { nodeForN8n } from '../../scripts/lib/n8n-runtime.mjs';
import { Failure } from '../../scripts/lib/run.mjs';
import { cpuRates, median } from '../lib/measure.mjs';
import { lines } from '../lib/plot.mjs';
import { tenths, times, whole } from '../lib/report.mjs';
import { Scene } from '../lib/scene.mjs';
import { agentLeadsTrigger, leadsCredential, limit } from '../lib/subjects.mjs';
import { BRANCHES } from './manyBranches.mjs';

const POLL_EVERY_S = 2;
const TYPES = 2;
const DAY_MS = 24 * 3_600_000;
const CATCH_UP_DEADLINE_MS = 300_000;

/** What counts as flat: figures of one machine differ by as much from run to run. */
const FLAT = 1.25;

/** What the trigger keeps of 15,000 leads that it has delivered, and of the look-back of 80 scopes. */
const MOST_STATE_BYTES = 150_000;

/** Not so where the ratio is 0 or less: then a figure is none, such as that of no poll at all. @param {number} ratio */
const isFlat = (ratio) => ratio > 0 && ratio <= FLAT;

/**
 * @param {import('../lib/scene.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function quietPoll(bench) {
	const sizes = bench.quick ? [1_000, 10_000] : [1_000, 10_000, 100_000];
	const plan = bench.quick ? { windows: 1, seconds: 4 } : { windows: bench.rounds, seconds: 8 };
	/** @param {number} leads */
	const after = async (leads) => {
		bench.say(`${whole(leads)} leads delivered, then quiet polls`);
		return await Scene.play(bench.harness, async (scene) => await measure(scene, leads, plan));
	};
	const figures = bench.quick ? await Promise.all(sizes.map(after)) : [];
	if (!bench.quick) for (const leads of sizes) figures.push(await after(leads));
	const [smallest, largest] = [figures[0], figures.at(-1)];
	if (!smallest || !largest) throw new Error('Nothing was measured');
	const growth = largest.cpuMs / smallest.cpuMs;

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
		goals: [
			{
				text: `CPU per poll is flat: at most ${FLAT} × from the fewest to the most leads`,
				figure: times(growth),
				isMet: isFlat(growth),
			},
			{
				text: `State stays small, however many leads: at most ${whole(MOST_STATE_BYTES)} bytes`,
				figure: whole(largest.stateBytes),
				isMet: largest.stateBytes <= MOST_STATE_BYTES,
			},
		],
		plot: {
			file: 'benchmark-poll.svg',
			alt: 'CPU time of a quiet poll, and kilobytes of progress, over the leads delivered before',
			svg: await lines({
				points: figures.flatMap(({ leads, cpuMs, stateBytes }) => [
					{ series: 'CPU per poll (ms)', x: leads, y: cpuMs },
					{ series: 'State (kB)', x: leads, y: stateBytes / 1_000 },
				]),
				x: { title: 'Leads delivered before', scale: 'log' },
				y: { title: 'ms, kB' },
			}),
		},
	};
}

/**
 * @param {Scene} scene
 * @param {number} leads to be delivered before the measurement
 * @param {{ windows: number, seconds: number }} plan
 */
async function measure(scene, leads, plan) {
	const { n8n, sandbox, harness } = scene;
	const now = Date.now();
	const days = { from: now - 29 * DAY_MS, to: now - DAY_MS, branchId: BRANCHES };
	sandbox.addLeads('applicant', Math.ceil(leads * 0.7), days);
	sandbox.addLeads('appraisal', Math.floor(leads * 0.3), days);
	const credentials = await leadsCredential(n8n, sandbox, scene.client('leads', BRANCHES));
	const trigger = agentLeadsTrigger(credentials, {
		pollTimes: harness.everySeconds(POLL_EVERY_S),
		leadTypes: ['applicant', 'appraisal'],
		filterBy: 'branch',
		filterId: BRANCHES.join(','),
		startFrom: 'last30Days',
	});
	const workflow = await n8n.createWorkflow({
		...harness.chain('Leads', trigger, limit()),
		settings: { saveDataSuccessExecution: 'none', saveManualExecutions: false },
	});
	await n8n.activate(workflow);
	await harness.until('the trigger to catch up', CATCH_UP_DEADLINE_MS, async () => {
		const { dataRequests } = sandbox.counts;
		await sleep(3 * POLL_EVERY_S * 1_000);
		const polls = (sandbox.counts.dataRequests - dataRequests) / (BRANCHES.length * TYPES);
		return (polls >= 2 && polls <= 4) || undefined;
	});

	const last = addLast(sandbox);
	await harness.until('the last leads', CATCH_UP_DEADLINE_MS, async () => {
		const state = stateOf(n8n.userFolder, workflow.id);
		return last.every((id) => state.includes(id)) || undefined;
	});

	sandbox.resetCounts();
	const rates = await cpuRates(n8n.pid, plan);
	const { dataRequests } = sandbox.counts;
	const polls = pollsIn(sandbox);
	const stateBytes = Buffer.byteLength(stateOf(n8n.userFolder, workflow.id));
	await n8n.deactivate(workflow);
	const idleRate = median(await cpuRates(n8n.pid, plan));
	const pollsPerSecond = polls / (plan.windows * plan.seconds);
	return {
		leads,
		cpuMs: (median(rates) - idleRate) / pollsPerSecond,
		stateBytes,
		requests: dataRequests / polls,
		idleRate,
	};
}

/**
 * How many polls there were since the counts were reset: each asks once for the applicants of a branch.
 *
 * @param {import('../lib/subjects.mjs').Sandbox} sandbox
 */
function pollsIn(sandbox) {
	return sandbox.requests.filter(
		({ path, query }) =>
			path.endsWith('/applicant-leads') && query['branch-id']?.[0] === BRANCHES[0],
	).length;
}

/**
 * A lead of each type for every branch, submitted just now.
 *
 * @param {import('../lib/subjects.mjs').Sandbox} sandbox
 */
function addLast(sandbox) {
	return BRANCHES.flatMap((branchId) => [
		sandbox.addLead('applicant', {}, { branchId }).id,
		sandbox.addLead('appraisal', {}, { branchId }).id,
	]);
}

/**
 * What n8n has stored of the trigger's progress.
 *
 * @param {string} userFolder
 * @param {string} workflowId
 */
function stateOf(userFolder, workflowId) {
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const db = new DatabaseSync(process.argv[1], { readOnly: true });
		const row = db.prepare('SELECT staticData FROM workflow_entity WHERE id = ?');
		console.log(row.get(process.argv[2]).staticData);`;
	const database = join(userFolder, '.n8n', 'database.sqlite');
	const args = ['--no-warnings', '-e', script, database, workflowId];
	const { stdout, stderr, status } = spawnSync(nodeForN8n().binary, args, { encoding: 'utf8' });
	if (status !== 0) throw new Failure(`The stored progress cannot be read: ${stderr}`);
	return stdout.trim();
}
