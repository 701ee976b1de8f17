import { HOUR_MS } from '../../service/basics/times';
import { chain, webhook, type StoredWorkflow } from '../../test/lab/n8n';
import { Failure } from '../../test/lab/failure';
import { agentLeads } from '../../test/lab/n8n/stage/nodes';
import { inTurn, medianOf, ratioOf } from '../lib/figures';
import { timed } from '../lib/measure';
import { httpRequest, itemsOf, limit, loop } from '../lib/nodes';
import { atMost, whole, type Result, type Settings } from '../lib/report';
import { BRANCHES, Scene } from '../lib/scene';

interface Run {
	ms: number;
	requests: number;
	tokens: number;
}

const KINDS = ['applicant', 'appraisal'] as const;
const LATENCY_MS = 150;
const REQUESTS = BRANCHES.length * KINDS.length;
const LOOP = 'HTTP Request in a loop';
const OURS = 'Agent Leads';

export async function branches({ rounds }: Settings): Promise<Result> {
	const runs = await Scene.play(async (scene) => {
		const { sandbox } = scene;
		const path = /-leads$/;
		const now = Date.now();
		for (const kind of KINDS)
			sandbox.addLeads(kind, 5 * BRANCHES.length, {
				from: now - HOUR_MS,
				to: now,
				branchId: BRANCHES,
			});
		sandbox.faults.add({ kind: 'latency', ms: LATENCY_MS, path, times: Infinity });
		// Each workflow has a client of its own, and so no token yet.
		return await inTurn(rounds, {
			[LOOP]: async () => await run(scene, await byLoop(scene)),
			[OURS]: async () => await run(scene, await byAgentLeads(scene)),
		});
	});
	const ratio = ratioOf(
		runs[OURS].map(({ ms }) => ms),
		runs[LOOP].map(({ ms }) => ms),
	);
	return {
		title: `${BRANCHES.length} branches, both lead types`,
		about: `${REQUESTS} requests, one for each branch and type, to a service that takes ${LATENCY_MS} ms for each, from cold: without a token. “In a loop” is Loop Over Items with one HTTP Request in it, for each type. Agent Leads has 4 requests under way at first, and up to 16 once it knows that the service can bear them.`,
		columns: ['Nodes', 'Wall time (ms)', 'Requests', 'Tokens'],
		rows: Object.entries(runs).map(([name, all]) => [
			name,
			...(['ms', 'requests', 'tokens'] as const).map((key) => whole(medianOf(all, key))),
		]),
		goals: [
			atMost(0.1, `${OURS}, beside a loop with one token: wall time`, ratio),
			{
				text: `${OURS}: as many requests as there are branches and types, with 1 token`,
				figure: runs[OURS].map(({ requests, tokens }) => `${requests}, ${tokens}`).join('; '),
				isMet: runs[OURS].every(({ requests, tokens }) => requests === REQUESTS && tokens === 1),
			},
		],
	};
}

async function run(scene: Scene, workflow: StoredWorkflow): Promise<Run> {
	scene.sandbox.resetCounts();
	const { ms } = await timed(async () => await scene.n8n.runByWebhook(workflow));
	return { ms, requests: scene.sandbox.counts.dataRequests, tokens: scene.tokens };
}

/** One request after the other. */
async function byLoop(scene: Scene): Promise<StoredWorkflow> {
	const questions = KINDS.flatMap((kind) =>
		BRANCHES.map((branch) => `${kind}-leads?branch-id=${branch}`),
	);
	const url = `=${scene.sandbox.leadsUrl}/{{ $json.question }}`;
	const request = httpRequest(await scene.oauth2(undefined, BRANCHES), url);
	const over = loop();
	const nodes = [webhook(), ...itemsOf('question', questions), over, limit(), request];
	const workflow = chain(LOOP, ...nodes);
	const to = (node: string) => [{ node, type: 'main' as const, index: 0 }];
	workflow.connections[over.name] = { main: [to(limit().name), to(request.name)] };
	workflow.connections[request.name] = { main: [to(over.name)] };
	delete workflow.connections[limit().name];
	return await scene.active(workflow);
}

/** A node for each type, with all branches in its field. */
async function byAgentLeads(scene: Scene): Promise<StoredWorkflow> {
	const credential = await scene.ourCredential(BRANCHES);
	const [first, second] = KINDS.map((kind) => ({
		...agentLeads(credential, {
			resource: `${kind}Lead`,
			filterBy: 'branch',
			filterId: BRANCHES.join(','),
		}),
		name: `${OURS}, ${kind}`,
	}));
	if (!first || !second) throw new Failure('There are two kinds of leads.');
	return await scene.workflow(OURS, [first, { ...limit(), name: 'Once' }, second]);
}
