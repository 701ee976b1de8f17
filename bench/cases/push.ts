import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import range from 'lodash/range';

import { mapConcurrently } from '../../service/basics/concurrency';
import { Failure } from '../../test/lab/failure';
import { chain, send, until, webhook, type NodeInput } from '../../test/lab/n8n';
import { succeededRuns } from '../../test/lab/n8n/database';
import { agentLeadsPushTrigger } from '../../test/lab/n8n/stage/nodes';
import { inTurn, median, medianOf, percentile } from '../lib/figures';
import { cpuMs, timed } from '../lib/measure';
import { limit } from '../lib/nodes';
import { tenths, times, whole, type Result, type Settings } from '../lib/report';
import { Scene } from '../lib/scene';

interface Burst {
	perSecond: number;
	median: number;
	p95: number;
	/** From the first call until the last run has ended. */
	runsPerSecond: number;
	/** CPU time of n8n for each call and its run (ms). */
	cpu: number;
}

const CALLS_AT_ONCE = 8;
/** Short ones in each round, so that whatever else the machine does meets all alike. */
const BURSTS = 4;
const LOOK_EVERY_MS = 250;
const DEADLINE_MS = 10 * 60_000;
const KEY = 'a key of the agency, 5d1be07a';

const PUSH = 'Agent Leads Push Trigger';
const WEBHOOK = 'Webhook';
const WITHOUT_SHORTCUT = 'Webhook, without the shortcut for it';

/** n8n spares calls of its own Webhook node the start of a place to evaluate expressions in, and no other node's. */
const NO_SHORTCUT = { N8N_EXPRESSION_ENGINE_ALLOW_WEBHOOK_ISOLATE_SKIP: 'false' };

const lead = () => ({
	id: randomUUID(),
	createdAt: '2026-11-20T09:30:00Z',
	contact: {
		firstName: 'Ann',
		lastName: 'Example',
		email: 'ann@example.com',
		phone: '07700 900123',
	},
	enquiryType: 'ENQUIRY_TYPE_VIEWING',
	message: 'I would like to see the flat on Saturday morning, if that suits the owner.',
	property: { address: '1 Example Road', postcode: 'AB1 2CD', price: 325_000 },
});

export async function push({ isQuick, rounds }: Settings): Promise<Result> {
	const calls = isQuick ? 40 : 100;
	const play = async (scene: Scene, other: Scene) =>
		await inTurn(BURSTS * rounds, {
			[WEBHOOK]: await bursts(scene, await protectedWebhook(scene), calls),
			[PUSH]: await bursts(scene, await ourTrigger(scene), calls),
			[WITHOUT_SHORTCUT]: await bursts(other, await protectedWebhook(other), calls),
		});
	return report(
		await Scene.play(
			async (scene) => await Scene.play(async (other) => await play(scene, other), NO_SHORTCUT),
		),
		calls,
	);
}

async function ourTrigger(scene: Scene): Promise<NodeInput> {
	const data = { authentication: 'apiKey', apiKey: KEY };
	return agentLeadsPushTrigger(await scene.credential('agentLeadsPushApi', data));
}

async function protectedWebhook(scene: Scene): Promise<NodeInput> {
	const data = { name: 'Authorization', value: KEY };
	const httpHeaderAuth = await scene.credential('httpHeaderAuth', data);
	return {
		...webhook({ responseMode: 'onReceived', authentication: 'headerAuth' }),
		credentials: { httpHeaderAuth },
	};
}

/** Many calls of a new workflow, several at a time, and all of their runs. */
async function bursts(scene: Scene, trigger: NodeInput, calls: number) {
	const { n8n } = scene;
	const workflow = await scene.active(chain(trigger.name, trigger, limit()));
	const path = trigger.parameters?.path;
	const url = `${n8n.url}/webhook/${typeof path === 'string' ? path : `${String(trigger.webhookId)}/leads`}`;
	const headers = { authorization: KEY };
	let sent = 0;
	return async (): Promise<Burst> => {
		const answers: number[] = [];
		const cpuBefore = cpuMs(n8n.pid);
		const startedAt = performance.now();
		await mapConcurrently(range(calls), CALLS_AT_ONCE, async () => {
			const body = { applicant: lead() };
			const { ms, result } = await timed(async () => await send(url, 'POST', body, headers));
			if (result.status !== 200) throw new Failure(`A call was answered ${result.status}`);
			answers.push(ms);
		});
		const ms = performance.now() - startedAt;
		sent += calls;
		await until('all runs to end', DEADLINE_MS, async () => {
			if ((await succeededRuns(n8n.userFolder, workflow)) >= sent) return true;
			await sleep(LOOK_EVERY_MS);
			return undefined;
		});
		const runsMs = performance.now() - startedAt;
		return {
			perSecond: (calls / ms) * 1_000,
			runsPerSecond: (calls / runsMs) * 1_000,
			median: median(answers),
			p95: percentile(answers, 95),
			cpu: (cpuMs(n8n.pid) - cpuBefore) / calls,
		};
	};
}

function report(runs: Record<string, Burst[]>, calls: number): Result {
	const figure = (name: string, key: keyof Burst) => medianOf(runs[name] ?? [], key);
	const ratio = (key: keyof Burst) => figure(PUSH, key) / figure(WITHOUT_SHORTCUT, key);
	return {
		title: 'Pushed leads',
		about: `Agent Leads Push Trigger beside n8n’s own Webhook node with header authentication, both with a Limit node behind them: ${whole(calls)} leads at a go, ${CALLS_AT_ONCE} calls at a time, each on a connection of its own, by turns. For each call of a webhook n8n starts a place to evaluate expressions in, except for its own Webhook node. The row “without the shortcut” is that node in an n8n that does so for it, too: what a call costs any other node.`,
		columns: [
			'Runs started by',
			'Calls per second',
			'Answer, median (ms)',
			'Answer, p95 (ms)',
			'Runs ended per second',
			'CPU per run (ms)',
		],
		rows: Object.keys(runs).map((name) => [
			name,
			...(['perSecond', 'median', 'p95', 'runsPerSecond', 'cpu'] as const).map((key) =>
				tenths(figure(name, key)),
			),
		]),
		goals: [
			{
				text: 'Calls per second: at least 0.90× Webhook without the shortcut',
				figure: times(ratio('perSecond')),
				isMet: ratio('perSecond') >= 0.9,
			},
			{
				text: 'p95 of the answer: at most 1.10× Webhook without the shortcut',
				figure: times(ratio('p95')),
				isMet: ratio('p95') <= 1.1,
			},
		],
	};
}
