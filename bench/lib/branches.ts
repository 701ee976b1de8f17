// The leads of 40 branches, and the workflows that get all of them: ours, and two with n8n's HTTP Request node.
import type { NodeInput, StoredWorkflow } from '../../test/lab/n8n';
import { HOUR_MS } from '../../service/basics/times';
import { oauth2ForLeads, ourCredential } from './credentials';
import { agentLeads, httpRequest, itemsOf, limit, loop, merge, splitOut, type Link } from './nodes';
import type { Expected, Scene } from './scene';

const LEADS_PER_BRANCH = 5;

export const OURS = 'Agent Leads';
export const LOOP = 'HTTP Request in a loop';
export const AT_ONCE = 'HTTP Request, all at once';

export const BRANCHES = Array.from({ length: 40 }, (_, index) => String(10_000 + index));

/** How many leads of each type the branches have together. */
const LEADS = BRANCHES.length * LEADS_PER_BRANCH;

/** What a run of one of these workflows has to put out. */
export const ALL_LEADS: Expected = { node: 'Merge', items: 2 * LEADS };

/** Matches the path of a request for leads of either type. */
export const LEADS_PATH = /-leads$/;

/** Each type: what our node, the service and its answer call it. */
const TYPES = [
	{ resource: 'applicantLead', path: 'applicant-leads', list: 'applicants' },
	{ resource: 'appraisalLead', path: 'appraisal-leads', list: 'appraisals' },
];

/** The way from the items over the requests to the answers of a type. */
interface Way {
	nodes: NodeInput[];
	linksOf: (list: string) => Link[];
}

/** Leads for every branch, all within the last 24 hours. */
export function addLeads({ sandbox }: Scene): void {
	const now = Date.now();
	const options = { from: now - 23 * HOUR_MS, to: now - HOUR_MS, branchId: BRANCHES };
	sandbox.addLeads('applicant', LEADS, options);
	sandbox.addLeads('appraisal', LEADS, options);
}

/** A node for each type, with all branches in its field. */
export async function byAgentLeads(scene: Scene): Promise<StoredWorkflow> {
	const credentials = await ourCredential(scene, 'leads', BRANCHES);
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

/** One request after the other, in a loop for each type. */
export async function byLoop(scene: Scene): Promise<StoredWorkflow> {
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

/** One node for each type, which sends the requests of all its items together. */
export async function byNodeAlone(scene: Scene): Promise<StoredWorkflow> {
	return await byRequests(scene, AT_ONCE, {
		nodes: [],
		linksOf: (list) => [
			['Items', `Get ${list}`],
			[`Get ${list}`, `Split ${list}`],
		],
	});
}

/** An item for each branch, requests for each type, and their answers in one list. */
async function byRequests(scene: Scene, name: string, { nodes, linksOf }: Way) {
	const requests = await requestNodes(scene);
	const answers = TYPES.map(({ list }) => splitOut(list, `Split ${list}`));
	return await scene.workflow(
		name,
		[...itemsOf('branch', BRANCHES), ...nodes, ...requests, ...answers, merge(), limit()],
		[
			['Webhook', 'List'],
			['List', 'Items'],
			...TYPES.flatMap(({ list }) => linksOf(list)),
			...answers.map((answer, input): Link => [answer.name, 'Merge', 0, input]),
			['Merge', 'Limit'],
		],
	);
}

/** “Get applicants” and “Get appraisals”, for the branch of the input item. */
async function requestNodes(scene: Scene): Promise<NodeInput[]> {
	const { leadsUrl } = scene.sandbox;
	const credentials = await oauth2ForLeads(scene, BRANCHES);
	const query = { 'branch-id': '={{ $json.branch }}' };
	return TYPES.map(({ path, list }) =>
		httpRequest(credentials, { url: `${leadsUrl}/${path}`, query }, `Get ${list}`),
	);
}
