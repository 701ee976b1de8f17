import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { Failure } from '../../test/lab/failure';
import { chain, send, until, webhook, type NodeInput } from '../../test/lab/n8n';
import { ourCredential, PUSH_KEY, pushCredentials, type Credentials } from '../lib/credentials';
import { runsOf } from '../../test/lab/n8n/database';
import { figureOf, figuresOf, median, medianOf, percentile } from '../lib/figures';
import { cpuMs, timed } from '../lib/measure';
import { agentLeadsPushTrigger, agentLeadsTrigger, limit } from '../lib/nodes';
import { say, tenths, times, whole, type Goal, type Result, type Settings } from '../lib/result';
import { inTurn, Scene } from '../lib/scene';

/** A workflow that takes calls, and what has come of one round of them. */
interface Door {
	pid: number;
	url: string;
	/** Calls so far. */
	calls: number;
	/** @returns how many runs have ended */
	ended: () => Promise<number>;
	/** The times from calls to the node behind the trigger (ms). */
	delays: (sentAt: Map<string, number>) => Promise<number[]>;
}

interface Round {
	perSecond: number;
	median: number;
	p95: number;
	/** From the first call until the last run has ended. */
	runsPerSecond: number;
	/** CPU time of n8n for each call and its run (ms). */
	cpu: number;
}

interface Figures extends Round {
	name: string;
	/** From a call to the node behind the trigger, one call at a time. */
	delay: number;
}

const CALLS_AT_ONCE = 8;
/** Short ones in each round, so that whatever else the machine does meets all alike. */
const BURSTS = 4;
const DELAY_CALLS = 20;
const LOOK_EVERY_MS = 250;
const DEADLINE_MS = 10 * 60_000;
const LEAD_EVERY_MS = 5_000;

const PUSH = 'Agent Leads Push Trigger';
const RECEIVED = 'Webhook, answers at once';
const WITHOUT_SHORTCUT = 'Webhook, without the shortcut for it';
const LAST_NODE = 'Webhook, answers at the end of the run';

const lead = (id: string) => ({
	id,
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
	const play = async (scene: Scene, other: Scene) => {
		const doors = new Map(await openAll(scene, TRIGGERS));
		for (const [name, door] of await openAll(other, IN_OTHER)) doors.set(name, door);
		const delays = new Map<string, number>();
		for (const [name, door] of doors) delays.set(name, await delayOf(door));
		const variants = [...doors].map(([name, door]) => [name, () => burst(door, calls)] as const);
		const figures = figuresOf(await inTurn(BURSTS * rounds, Object.fromEntries(variants)), reduce);
		const found = figures.map((each) => ({ ...each, delay: delays.get(each.name) ?? NaN }));
		const polled = await delaysOfPoll(scene, isQuick ? 4 : 36);
		return report(found, polled, calls);
	};
	return await Scene.play(
		async (scene) => await Scene.play(async (other) => await play(scene, other), NO_SHORTCUT),
	);
}

type Pairs = Awaited<ReturnType<typeof pushCredentials>>;

const TRIGGERS: Record<string, (credentials: Pairs) => NodeInput> = {
	[RECEIVED]: ({ header }) => protectedWebhook(header, 'onReceived'),
	[PUSH]: ({ ours }) => agentLeadsPushTrigger(ours),
	[LAST_NODE]: ({ header }) => protectedWebhook(header, 'lastNode'),
};

/** n8n spares calls of its own Webhook node the start of a place to evaluate expressions in, and no other node's. */
const NO_SHORTCUT = { N8N_EXPRESSION_ENGINE_ALLOW_WEBHOOK_ISOLATE_SKIP: 'false' };

const IN_OTHER: typeof TRIGGERS = {
	[WITHOUT_SHORTCUT]: ({ header }) => protectedWebhook(header, 'onReceived'),
};

async function openAll(scene: Scene, triggers: typeof TRIGGERS): Promise<Array<[string, Door]>> {
	const credentials = await pushCredentials(scene);
	const doors = Object.entries(triggers).map(async ([name, trigger]): Promise<[string, Door]> => [
		name,
		await open(scene, name, trigger(credentials)),
	]);
	return await Promise.all(doors);
}

function protectedWebhook(credentials: Credentials, responseMode: string): NodeInput {
	return { ...webhook({ responseMode, authentication: 'headerAuth' }), credentials };
}

async function open({ n8n }: Scene, name: string, trigger: NodeInput): Promise<Door> {
	const workflow = await n8n.createWorkflow(chain(name, trigger, limit()));
	await n8n.activate(workflow);
	const path = trigger.parameters?.path;
	const door = typeof path === 'string' ? path : `${String(trigger.webhookId)}/leads`;
	return {
		pid: n8n.pid,
		url: `${n8n.url}/webhook/${door}`,
		calls: 0,
		ended: async () => (await runsOf(n8n.userFolder, workflow)).succeeded,
		delays: async (sentAt) =>
			(await n8n.executions(workflow)).flatMap((execution) => {
				const [run] = execution.runs('Limit');
				const [id] = [...sentAt.keys()].filter((each) => execution.text.includes(each));
				return run && id !== undefined ? [run.startTime - (sentAt.get(id) ?? NaN)] : [];
			}),
	};
}

/** @returns milliseconds to the answer */
async function call(door: Door, id: string): Promise<number> {
	door.calls++;
	const { ms, result } = await timed(
		async () =>
			await send(door.url, {
				method: 'POST',
				headers: { authorization: PUSH_KEY },
				body: { applicant: lead(id) },
			}),
	);
	if (result.status !== 200) throw new Failure(`A call was answered ${result.status}`);
	return ms;
}

/** Many calls, several at a time, and all of their runs. */
async function burst(door: Door, calls: number): Promise<Round> {
	const answers: number[] = [];
	let left = calls;
	const lane = async () => {
		while (left-- > 0) answers.push(await call(door, randomUUID()));
	};
	const cpuBefore = cpuMs(door.pid);
	const startedAt = performance.now();
	await Promise.all(Array.from({ length: CALLS_AT_ONCE }, lane));
	const ms = performance.now() - startedAt;
	await allEnded(door);
	const runsMs = performance.now() - startedAt;
	return {
		perSecond: (calls / ms) * 1_000,
		runsPerSecond: (calls / runsMs) * 1_000,
		median: median(answers),
		p95: percentile(answers, 95),
		cpu: (cpuMs(door.pid) - cpuBefore) / calls,
	};
}

async function allEnded(door: Door): Promise<void> {
	await until('all runs to end', DEADLINE_MS, async () => {
		const isEnded = (await door.ended()) >= door.calls;
		if (!isEnded) await sleep(LOOK_EVERY_MS);
		return isEnded || undefined;
	});
}

/** One call at a time. */
async function delayOf(door: Door): Promise<number> {
	const sentAt = new Map<string, number>();
	for (let index = 0; index < DELAY_CALLS; index++) {
		const id = randomUUID();
		sentAt.set(id, Date.now());
		await call(door, id);
		await allEnded(door);
	}
	return median(await door.delays(sentAt));
}

/** What a lead waits for a poll each minute, wherever in the minute it comes. */
async function delaysOfPoll(scene: Scene, leads: number): Promise<number[]> {
	const trigger = agentLeadsTrigger(await ourCredential(scene, 'leads'), {
		pollTimes: { item: [{ mode: 'everyMinute' }] },
		leadTypes: ['applicant'],
		startFrom: 'activation',
		runs: 'onePerLead',
	});
	const door = await open(scene, 'Poll', trigger);
	const sentAt = new Map<string, number>();
	for (; sentAt.size < leads; door.calls++) {
		say(`lead ${sentAt.size + 1} of ${leads} that wait for a poll`);
		const id = randomUUID();
		sentAt.set(id, Date.now());
		scene.sandbox.addLead('applicant', { id });
		await sleep(LEAD_EVERY_MS);
	}
	await allEnded(door);
	return await door.delays(sentAt);
}

function reduce(all: Round[]): Round {
	return {
		perSecond: medianOf(all, 'perSecond'),
		runsPerSecond: medianOf(all, 'runsPerSecond'),
		median: medianOf(all, 'median'),
		p95: medianOf(all, 'p95'),
		cpu: medianOf(all, 'cpu'),
	};
}

function report(figures: Figures[], polled: number[], calls: number): Result {
	const [theirs, ours] = [figureOf(figures, RECEIVED), figureOf(figures, PUSH)];
	const asOthers = figureOf(figures, WITHOUT_SHORTCUT);
	const ratio = (key: keyof Round) => (each: Figures) => times(each[key] / theirs[key]);
	return {
		title: 'Pushed leads',
		about: `Agent Leads Push Trigger beside n8n’s own Webhook node with header authentication, both with a Limit node behind them: ${whole(calls)} leads at a go, ${CALLS_AT_ONCE} calls at a time, each on a connection of its own, by turns, ${BURSTS} times a round. “To the next node” is the time from a call to the node behind the trigger, one call at a time; for the poll it is the time from a lead’s arrival at the service, with One per Lead and a poll each minute.`,
		columns: [
			'Runs started by',
			'Calls per second',
			'Ratio',
			'Answer, median (ms)',
			'Answer, p95 (ms)',
			'Ratio of p95',
			'Runs ended per second',
			'CPU per run (ms)',
			'To the next node, median (ms)',
		],
		rows: [
			...figures.map((each) => [
				each.name,
				tenths(each.perSecond),
				ratio('perSecond')(each),
				tenths(each.median),
				tenths(each.p95),
				ratio('p95')(each),
				tenths(each.runsPerSecond),
				tenths(each.cpu),
				whole(each.delay),
			]),
			['Agent Leads Trigger, each minute', '', '', '', '', '', '', '', whole(median(polled))],
		],
		// Beside the shortcut, which n8n grants its own Webhook node alone, no other node can come near.
		goals: goals('Webhook without the shortcut', asOthers, ours),
		notes: [
			`The longest wait for a poll was ${whole(Math.max(...polled))} ms. The Webhook node answers once n8n has stored the run, ours once the run has begun.`,
			'For each call of a webhook n8n starts a place to evaluate expressions in, except for its own Webhook node. The row “without the shortcut” is that node in an n8n that does so for it, too: what a call costs any other node.',
		],
	};
}

function goals(name: string, theirs: Figures, ours: Figures): Goal[] {
	const [rate, p95] = [ours.perSecond / theirs.perSecond, ours.p95 / theirs.p95];
	return [
		{ text: `Calls per second: at least 0.90× ${name}`, figure: times(rate), isMet: rate >= 0.9 },
		{ text: `p95 of the answer: at most 1.10× ${name}`, figure: times(p95), isMet: p95 <= 1.1 },
	];
}
