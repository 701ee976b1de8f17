import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import type { Execution, Host, NodeInput, StoredWorkflow, WorkflowJson } from '../lab/n8n';
import { chain, HOSTS, until } from '../lab/n8n';
import { LeadTarget } from '../lab/n8n/leadTarget';
import { agentLeadsTrigger, Stage, START_DEADLINE_MS, STOP_DEADLINE_MS } from '../lab/n8n/stage';
import type { PushTravel } from '../lab/sandbox/push/send';
import { sendPush } from '../lab/sandbox/push/send';

jest.setTimeout(150_000);

const KEY = 'a key of the agency, 2f8c1d90';
const PAIR = { clientId: 'operator', clientSecret: 's:ecret+of%the agency' };
const hosts = Object.keys(HOSTS) as Host[];

/** A workflow that leads are pushed to, which also polls. */
interface Scene {
	stage: Stage;
	/** Where each run of the first workflow sends its lead. */
	target: LeadTarget;
	byKey: StoredWorkflow;
	byToken: StoredWorkflow;
	url: string;
	tokenUrl: string;
	leadsByToken: string;
}

const scenes = new Map<Host, Scene>();

beforeAll(async () => {
	await Promise.all(
		hosts.map(
			async (host) => void scenes.set(host, await set(await Stage.start({ env: HOSTS[host] }))),
		),
	);
}, START_DEADLINE_MS);

afterAll(async () => {
	await Promise.all(
		[...scenes.values()].map(async ({ stage, target }) => {
			await stage.stop();
			await target.stop();
		}),
	);
}, STOP_DEADLINE_MS);

async function set(stage: Stage): Promise<Scene> {
	const client = stage.addClient({ branches: ['pushed'] });
	const target = await LeadTarget.start();
	target.refuse('refused once', 1);
	const poll = agentLeadsTrigger(await stage.saveCredential(client), {
		runs: 'onePerLead',
		options: { runAgain: 1 },
	});
	const key = await stage.n8n.createCredential('agentLeadsPushApi', 'Key', {
		authentication: 'apiKey',
		apiKey: KEY,
	});
	const pair = await stage.n8n.createCredential('agentLeadsPushApi', 'Pair', {
		authentication: 'clientCredentials',
		...PAIR,
	});
	const first = pushTrigger({ agentLeadsPushApi: key });
	const second = pushTrigger({ agentLeadsPushApi: pair });
	const byKey = await stage.save(withPoll(chain('By key', first, target.node), poll));
	const byToken = await stage.save(chain('By token', second));
	await stage.n8n.activate(byKey);
	await stage.n8n.activate(byToken);
	const at = (webhookId: string, path: string) => `${stage.n8n.url}/webhook/${webhookId}/${path}`;
	return {
		stage,
		target,
		byKey,
		byToken,
		url: at(first.webhookId, 'leads'),
		tokenUrl: at(second.webhookId, 'token'),
		leadsByToken: at(second.webhookId, 'leads'),
	};
}

function pushTrigger(credentials: NodeInput['credentials']) {
	return {
		name: 'Push',
		type: 'n8n-nodes-agent-integration.agentLeadsPushTrigger',
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { leadTypes: ['applicant', 'appraisal'], simplify: true },
		credentials,
	};
}

/** The same workflow, which a poll starts as well. */
function withPoll(workflow: WorkflowJson, poll: NodeInput): WorkflowJson {
	const [trigger] = chain('', poll).nodes;
	if (!trigger) throw new Error('No trigger');
	const next = workflow.connections.Push;
	if (!next) throw new Error('Nothing follows');
	return {
		...workflow,
		nodes: [...workflow.nodes, trigger],
		connections: { ...workflow.connections, [trigger.name]: next },
	};
}

/** Does the same where n8n keeps progress in either way, side by side. */
async function onEach(act: (scene: Scene) => Promise<void>): Promise<void> {
	await Promise.all(
		[...scenes].map(async ([host, scene]) => {
			await act(scene).catch((error: Error) => {
				error.message = `${host}: ${error.message}`;
				throw error;
			});
		}),
	);
}

const push = async (scene: Scene, body: unknown, travel: PushTravel = {}) =>
	await sendPush(scene.url, { Authorization: KEY, ...JSON_TYPE }, textOf(body), travel);

const JSON_TYPE = { 'Content-Type': 'application/json' };
const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** The runs of a lead, once all runs have ended: n8n keeps no data of one that is under way. */
async function runsOf(
	{ stage }: Scene,
	workflow: StoredWorkflow,
	id: string,
): Promise<Execution[]> {
	const executions = await until('all runs to end', 60_000, async () => {
		const all = await stage.n8n.executions(workflow);
		return all.every(({ status }) => OVER.includes(status)) ? all : undefined;
	});
	return executions.filter((execution) =>
		['Push', 'Agent Leads Trigger'].some((name) =>
			execution.json(name).some((lead) => lead.id === id),
		),
	);
}

const OVER = ['success', 'error', 'crashed'];

describe('a pushed lead', () => {
	it('is answered once its run has begun, however long that takes', async () => {
		await onEach(async (scene) => {
			scene.target.hold('slow');

			const { status, body } = await push(scene, { applicant: { id: 'slow' } });
			scene.target.release('slow');

			expect([status, body]).toEqual([200, expect.stringContaining('The lead has started a run')]);
			expect(await runsOf(scene, scene.byKey, 'slow')).toHaveLength(1);
		});
	});

	it('has one run, however often it comes', async () => {
		await onEach(async (scene) => {
			scene.target.hold('often');
			const lead = { appraisal: { id: 'often' } };
			const answers = await Promise.all(Array.from({ length: 12 }, () => push(scene, lead)));
			scene.target.release('often');
			answers.push(await push(scene, lead));

			expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
			expect(await runsOf(scene, scene.byKey, 'often')).toHaveLength(1);
			expect(scene.stage.n8n.logs()).not.toContain('duplicate deduplication key');
		});
	});

	it('that the poll finds too has one run, whichever was first', async () => {
		await onEach(async (scene) => {
			const { sandbox } = scene.stage;
			const failing = sandbox.addLead('applicant', { id: 'refused once' }, { branchId: 'pushed' });
			await push(scene, { applicant: failing });
			const both = sandbox.addLead('applicant', { id: 'both' }, { branchId: 'pushed' });
			const polled = sandbox.addLead('appraisal', { id: 'polled' }, { branchId: 'pushed' });
			await push(scene, { applicant: both });

			await until('the polled lead to have its run', 60_000, async () => {
				const runs = await runsOf(scene, scene.byKey, 'polled');
				return runs.length > 0 ? runs : undefined;
			});
			const { status } = await push(scene, { appraisal: polled });

			expect([200, 503]).toContain(status);
			expect(await runsOf(scene, scene.byKey, 'both')).toHaveLength(1);
			expect(await runsOf(scene, scene.byKey, 'polled')).toHaveLength(1);
		});
	});

	it.each(['basic', 'form', 'json'] as const)('comes in by a token had by %s', async (pairIn) => {
		await onEach(async (scene) => {
			const { sandbox } = scene.stage;
			const authentication = { by: 'token' as const, tokenUrl: scene.tokenUrl, ...PAIR, pairIn };
			sandbox.pushes.add({ url: scene.leadsByToken, authentication });

			sandbox.addLead('applicant', { id: pairIn });
			await sandbox.pushes.settled();
			sandbox.pushes.clear();

			expect(await runsOf(scene, scene.byToken, pairIn)).toHaveLength(1);
		});
	});

	it('is refused without a run if it is none, or nobody knows from whom', async () => {
		await onEach(async (scene) => {
			const lead = { applicant: { id: 'hostile body' } };
			const to = async (url: string, headers: Record<string, string>, body: unknown = lead) =>
				(await sendPush(url, { ...JSON_TYPE, ...headers }, textOf(body))).status;
			const as = async (headers: Record<string, string>, body: unknown = lead) =>
				await to(scene.url, headers, body);
			const pair = Buffer.from(`${PAIR.clientId}:${PAIR.clientSecret}`).toString('base64');
			const known = { Authorization: KEY, ...JSON_TYPE };

			const statuses = [
				await as(JSON_TYPE),
				await as({ ...JSON_TYPE, Authorization: `Bearer ${KEY}` }),
				await as({ ...JSON_TYPE, Authorization: KEY.slice(1) }),
				await as({ ...known, 'Content-Type': 'text/plain' }),
				await as(known, {}),
				await as(known, { applicant: [] }),
				await as(known, { applicant: { id: 1 }, appraisal: { id: 1 } }),
				await as(known, '{"applicant":{"id":"hostile body'),
				(await push(scene, lead, { cutAfter: 10 })).status,
			];
			const ofStrangers = [
				await to(scene.leadsByToken, { Authorization: KEY }),
				await to(scene.leadsByToken, { Authorization: `Basic ${pair}` }),
				await to(scene.leadsByToken, { Authorization: `Bearer ${PAIR.clientSecret}` }),
				await to(scene.tokenUrl, { Authorization: `Basic ${pair}x` }, {}),
			];

			expect(statuses).toEqual([401, 401, 401, 415, 400, 400, 400, expect.any(Number), 0]);
			expect(ofStrangers).toEqual([401, 401, 401, expect.any(Number)]);
			expect(ofStrangers[3]).toBeGreaterThanOrEqual(400);
			expect(statuses[7]).toBeGreaterThanOrEqual(400);
			expect(await runsOf(scene, scene.byKey, 'hostile body')).toEqual([]);
			for (const secret of ['hostile body', KEY, PAIR.clientSecret]) {
				expect(scene.stage.n8n.logs()).not.toContain(secret);
			}
		});
	});

	it('is run again by the poll if its run has failed, and that is asked for', async () => {
		await onEach(async (scene) => {
			await until('the second run', 120_000, async () => {
				const runs = await runsOf(scene, scene.byKey, 'refused once');
				return runs.length > 1 ? runs : undefined;
			});

			const runs = await runsOf(scene, scene.byKey, 'refused once');
			expect(runs.map(({ status }) => status)).toEqual(['error', 'success']);
			expect(scene.target.attempts('refused once')).toEqual([undefined, 2]);
		});
	});

	it('has no second run after n8n was killed', async () => {
		await onEach(async (scene) => {
			const { n8n } = scene.stage;
			scene.target.hold('killed');
			await push(scene, { applicant: { id: 'killed' } });
			const runs = (await n8n.executions(scene.byKey)).length;

			await n8n.kill9();
			scene.target.release('killed');
			await n8n.restart();
			const { status } = await until('n8n to take pushes', 60_000, async () => {
				const answer = await push(scene, { applicant: { id: 'killed' } });
				return answer.status === 200 ? answer : undefined;
			});

			expect(status).toBe(200);
			// Of a run that was killed n8n keeps no data.
			expect(await n8n.executions(scene.byKey)).toHaveLength(runs);
		});
	});
});
