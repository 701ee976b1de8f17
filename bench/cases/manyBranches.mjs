// @ts-check
import { median } from '../lib/measure.mjs';
import { lines } from '../lib/plot.mjs';
import { times, whole } from '../lib/report.mjs';
import { inTurn } from '../lib/scene.mjs';
import {
	agentLeads,
	httpRequest,
	itemsOf,
	leadsCredential,
	limit,
	loop,
	merge,
	oauth2ForLeads,
	splitOut,
} from '../lib/subjects.mjs';

/**
 * @typedef {import('../lib/scene.mjs').Scene} Scene
 * @typedef {import('../lib/scene.mjs').StoredWorkflow} StoredWorkflow
 * @typedef {import('../lib/subjects.mjs').NodeInput} NodeInput
 * @typedef {import('../lib/subjects.mjs').Link} Link
 */

const HOUR = 3_600_000;
const LEADS_PER_BRANCH = 5;
const OURS = 'Agent Leads';
const LOOP = 'HTTP Request in a loop';
const AT_ONCE = 'HTTP Request, all at once';

export const BRANCHES = Array.from({ length: 40 }, (_, index) => String(10_000 + index));

/** How many leads of each type the branches have together. */
export const LEADS = BRANCHES.length * LEADS_PER_BRANCH;

/** What a run of one of these workflows has to put out. */
export const ALL_LEADS = { node: 'Merge', items: 2 * LEADS };

/** Each type: what our node, the service and its answer call it. */
const TYPES = [
	{ resource: 'applicantLead', path: 'applicant-leads', list: 'applicants' },
	{ resource: 'appraisalLead', path: 'appraisal-leads', list: 'appraisals' },
];

/** Leads for every branch, all within the last 24 hours. @param {Scene} scene */
export function addLeads({ sandbox }) {
	const now = Date.now();
	const options = { from: now - 23 * HOUR, to: now - HOUR, branchId: BRANCHES };
	sandbox.addLeads('applicant', LEADS, options);
	sandbox.addLeads('appraisal', LEADS, options);
}

/**
 * A node for each type, with all branches in its field.
 * @param {Scene} scene
 */
export async function byAgentLeads(scene) {
	const credentials = await leadsCredential(
		scene.n8n,
		scene.sandbox,
		scene.client('leads', BRANCHES),
	);
	const nodes = TYPES.map(({ resource, list }) =>
		agentLeads(credentials, { resource, filterBy: 'branch', filterId: BRANCHES.join(',') }, list),
	);
	return await scene.workflow(
		OURS,
		[...nodes, merge(), limit()],
		[
			['Webhook', 'applicants'],
			['Webhook', 'appraisals'],
			['applicants', 'Merge'],
			['appraisals', 'Merge', 0, 1],
			['Merge', 'Limit'],
		],
	);
}

/**
 * One request after the other, in a loop for each type.
 * @param {Scene} scene
 */
export async function byLoop(scene) {
	return await byRequests(scene, LOOP, {
		nodes: TYPES.map(({ list }) => loop(`Loop ${list}`)),
		linksOf: (list) => [
			['Items', `Loop ${list}`],
			[`Loop ${list}`, `Get ${list}`, 1],
			[`Get ${list}`, `Loop ${list}`],
			[`Loop ${list}`, `Split ${list}`],
		],
	});
}

/**
 * One node for each type, which sends the requests of all its items together.
 * @param {Scene} scene
 */
async function byNodeAlone(scene) {
	return await byRequests(scene, AT_ONCE, {
		nodes: [],
		linksOf: (list) => [
			['Items', `Get ${list}`],
			[`Get ${list}`, `Split ${list}`],
		],
	});
}

/**
 * An item for each branch, requests for each type, and their answers in one list.
 *
 * @param {Scene} scene
 * @param {string} name
 * @param {{ nodes: NodeInput[], linksOf: (list: string) => Link[] }} way from the items over the requests to the
 *     answers of a type
 */
async function byRequests(scene, name, { nodes, linksOf }) {
	const requests = await requestNodes(scene);
	const answers = TYPES.map(({ list }) => splitOut(list, `Split ${list}`));
	return await scene.workflow(
		name,
		[...itemsOf('branch', BRANCHES), ...nodes, ...requests, ...answers, merge(), limit()],
		[
			['Webhook', 'List'],
			['List', 'Items'],
			...TYPES.flatMap(({ list }) => linksOf(list)),
			...answers.map((answer, input) => /** @type {Link} */ ([answer.name, 'Merge', 0, input])),
			['Merge', 'Limit'],
		],
	);
}

/**
 * “Get applicants” and “Get appraisals”, for the branch of the input item.
 * @param {Scene} scene
 */
async function requestNodes(scene) {
	const { n8n, sandbox } = scene;
	const credentials = await oauth2ForLeads(n8n, sandbox, scene.client('leads', BRANCHES));
	const query = { 'branch-id': '={{ $json.branch }}' };
	return TYPES.map(({ path, list }) =>
		httpRequest(credentials, { url: `${sandbox.leadsUrl}/${path}`, query }, `Get ${list}`),
	);
}

/**
 * The scene needs the leads of `addLeads`.
 *
 * @param {import('../lib/scene.mjs').Bench} bench
 * @param {Scene} scene
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function manyBranches(bench, scene) {
	const latencies = bench.quick ? [0] : [0, 50, 150];
	/** @type {Array<{ latency: number, name: string, ms: number, requests: number, tokens: number }>} */
	const figures = [];
	for (const latency of latencies) {
		const slow = scene.sandbox.faults.add({
			kind: 'latency',
			ms: latency,
			path: /-leads$/,
			times: Infinity,
		});
		/** @param {(scene: Scene) => Promise<StoredWorkflow>} workflow with a client of its own each time: from cold */
		const once = async (workflow) => await scene.run(await workflow(scene), ALL_LEADS);
		bench.say(`the service takes ${latency} ms`);
		const runs = await inTurn(bench, {
			[LOOP]: async () => await once(byLoop),
			[AT_ONCE]: async () => await once(byNodeAlone),
			[OURS]: async () => await once(byAgentLeads),
		});
		slow.remove();
		for (const [name, all] of runs) {
			/** @param {'requests' | 'tokens'} key */
			const most = (key) => Math.max(...all.map((each) => each[key]));
			const ms = median(all.map((each) => each.ms));
			figures.push({ latency, name, ms, requests: most('requests'), tokens: most('tokens') });
		}
	}
	/** @param {string} name @param {number} latency */
	const figure = (name, latency) => {
		const found = figures.find((each) => each.name === name && each.latency === latency);
		if (!found) throw new Error(`${name} was not measured at ${latency} ms`);
		return found;
	};

	return {
		title: '40 branches, both lead types, Get Many',
		about: `80 requests, one for each branch and type, ${whole(2 * LEADS)} leads in all, from cold: without a token. “In a loop” is Loop Over Items with one HTTP Request in it. “All at once” is one HTTP Request node with 40 input items: it sends them together, at a service that answers 429 to those who hurry. Agent Leads has at most four requests under way. Requests and tokens are the most of any round.`,
		columns: ['The service takes (ms)', 'Nodes', 'Wall time (ms)', 'Ratio', 'Requests', 'Tokens'],
		rows: figures.map(({ latency, name, ms, requests, tokens }) => [
			whole(latency),
			name,
			whole(ms),
			times(ms / figure(LOOP, latency).ms),
			whole(requests),
			whole(tokens),
		]),
		goals: latencies.flatMap((latency) => {
			const [ours, theirs] = [figure(OURS, latency), figure(LOOP, latency)];
			const ratio = ours.ms / theirs.ms;
			return [
				{
					text: `Service takes ${latency} ms: wall time at most 0.30 × a loop`,
					figure: times(ratio),
					isMet: ratio <= 0.3,
				},
				{
					text: `Service takes ${latency} ms: as many requests as a loop, 1 token`,
					figure: `${ours.requests} against ${theirs.requests}, ${ours.tokens} token`,
					isMet: ours.requests === theirs.requests && ours.tokens === 1,
				},
			];
		}),
		plot: {
			file: 'benchmark-branches.svg',
			alt: 'Wall time of 80 requests over the time that the service takes for one',
			svg: await lines({
				points: figures.map(({ name, latency, ms }) => ({
					series: name,
					x: latency,
					y: ms / 1_000,
				})),
				x: { title: 'The service takes for one request (ms)' },
				y: { title: 'Wall time of the run (s)' },
			}),
		},
	};
}
