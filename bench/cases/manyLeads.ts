import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { LEAD_FIELDS } from '../../nodes/common/leads/simplifyLead';
import { DAY_MS, HOUR_MS, isoSeconds } from '../../service/basics/times';
import { windowsOf } from '../../service/leads/windows';
import { Failure } from '../../test/lab/failure';
import { isFinished, nodeForN8n, until, type NodeInput } from '../../test/lab/n8n';
import { agentLeads } from '../../test/lab/n8n/stage/nodes';
import { root } from '../../test/lab/paths';
import { inTurn, medianOf, ratioOf, sum } from '../lib/figures';
import { timed } from '../lib/measure';
import { bareLeads, editFields, httpRequest, splitOut } from '../lib/nodes';
import { atMost, times, whole, type Result, type Settings } from '../lib/report';
import { BARE_NODES, Scene } from '../lib/scene';

interface Run {
	ms: number;
	nodeMs: number;
	requests: number;
	peakMb: number;
}

type Subject = (scene: Scene, period: Period) => Promise<NodeInput[]>;

/** Epoch milliseconds. */
interface Period {
	from: number;
	to: number;
}

const SIMPLE = 'Agent Leads';
const THEIRS = 'HTTP Request + Split Out + Edit Fields';
const RAW = 'Agent Leads, Simplify off';
const THEIRS_RAW = 'HTTP Request + Split Out';
const FLOOR = 'A node of n8n’s helper alone';
const PLAIN = 'Plain Node.js, without n8n';

const STORING_DEADLINE_MS = 60_000;

/** Where a lead has a column of the simplified one, if not under the same name. */
const PATHS: Record<string, string> = {
	name: 'contact.firstName',
	firstName: 'contact.firstName',
	lastName: 'contact.lastName',
	email: 'contact.email',
	phoneNumber: 'contact.phoneNumber',
	phoneE164: 'contact.phoneNumber',
	personKey: 'contact.email',
	propertyAddress: 'listingDetails.address.streetName',
	price: 'listingDetails.pricing.price',
	rentFrequency: 'listingDetails.pricing.rentFrequency',
	bedrooms: 'listingDetails.bedrooms',
	uprn: 'listingDetails.uprn',
	listingUrl: 'listingDetails.url',
	listingId: 'listingDetails.id',
	listingReference: 'listingDetails.sourceId',
};

const COLUMNS = Object.fromEntries(LEAD_FIELDS.map((name) => [name, PATHS[name] ?? name]));

const monthOf = (period: Period) => ({
	period: 'range',
	from: isoSeconds(period.from),
	to: isoSeconds(period.to),
});

const request = async (scene: Scene, { from, to }: Period) =>
	httpRequest(await scene.oauth2(), `${scene.sandbox.leadsUrl}/applicant-leads`, {
		'from-time': isoSeconds(from),
		'to-time': isoSeconds(to),
	});

/** The nodes that get all leads of the month, the last one with an item for each. */
const SUBJECTS: Record<string, Subject> = {
	[THEIRS]: async (...at) => [await request(...at), splitOut('applicants'), editFields(COLUMNS)],
	[SIMPLE]: async (scene, period) => [agentLeads(await scene.ourCredential(), monthOf(period))],
	[THEIRS_RAW]: async (...at) => [await request(...at), splitOut('applicants')],
	[RAW]: async (scene, period) => [
		agentLeads(await scene.ourCredential(), { ...monthOf(period), simplify: false }),
	],
	[FLOOR]: async (scene, period) => [
		bareLeads(await scene.ourCredential(), pagesOf(scene, period)),
	],
};

const QUICK = [THEIRS, SIMPLE];

export async function manyLeads({ isQuick, rounds }: Settings): Promise<Result> {
	const leads = isQuick ? 10_000 : 30_000;
	const names = isQuick ? QUICK : [...Object.keys(SUBJECTS), PLAIN];
	const variants = names.map((name) => [
		name,
		async (round: number) => await playRound(SUBJECTS[name], leads, round),
	]);
	const runs = await inTurn<string, Run>(
		rounds,
		Object.fromEntries(variants) as Record<string, (round: number) => Promise<Run>>,
	);
	const ratio = (name: string, other: string, key: keyof Run) =>
		ratioOf(valuesOf(runs[name], key), valuesOf(runs[other], key));
	const besideTheirs = ([ours, theirs]: [string, string]) => [
		atMost(0.85, `${ours}, beside ${theirs}: node time`, ratio(ours, theirs, 'nodeMs')),
		atMost(0.7, `${ours}, beside ${theirs}: wall time`, ratio(ours, theirs, 'ms')),
		atMost(0.75, `${ours}, beside ${theirs}: peak memory`, ratio(ours, theirs, 'peakMb')),
	];
	return {
		title: `${whole(leads)} leads of 30 days in one run`,
		about: `All applicant leads of the last 30 days, one item for each, in a fresh n8n for each of ${rounds} rounds. Each of our rows has a row beside it that does the same work with n8n’s own nodes: Edit Fields sets the same ${LEAD_FIELDS.length} columns. “${FLOOR}” asks for the same pages as Agent Leads and returns them: the least that a node can take. Plain Node.js does so outside of n8n. A ratio is the median of the ratios round by round.`,
		columns: ['Nodes', 'Node time (ms)', 'Wall time (ms)', 'n8n’s peak memory (MB)', 'Requests'],
		rows: Object.entries(runs).map(([name, all]) => [
			name,
			...(['nodeMs', 'ms', 'peakMb', 'requests'] as const).map((key) => {
				const figure = medianOf(all, key);
				return Number.isNaN(figure) ? '' : whole(figure);
			}),
		]),
		goals: [
			...besideTheirs([SIMPLE, THEIRS]),
			...(isQuick ? [] : besideTheirs([RAW, THEIRS_RAW])),
			...(isQuick
				? []
				: [
						atMost(1.35, `${SIMPLE}, beside the floor: node time`, ratio(SIMPLE, FLOOR, 'nodeMs')),
						atMost(1.15, `${RAW}, beside the floor: node time`, ratio(RAW, FLOOR, 'nodeMs')),
					]),
		],
		notes: isQuick
			? []
			: [
					`Of the node time of a node of n8n’s helper alone, plain Node.js takes ${times(ratio(PLAIN, FLOOR, 'nodeMs'))}: the rest is n8n’s.`,
				],
	};
}

function valuesOf(runs: Run[] = [], key: keyof Run): number[] {
	return runs.map((run) => run[key]);
}

/** The pages that Agent Leads asks for. */
function pagesOf({ sandbox }: Scene, period: Period): string[] {
	return windowsOf(period).map(({ from, to }) => {
		const query = new URLSearchParams({ 'from-time': isoSeconds(from), 'to-time': isoSeconds(to) });
		return `${sandbox.leadsUrl}/applicant-leads?${query.toString()}`;
	});
}

/**
 * In a fresh n8n: one that has held many leads does not give the memory back. Each round has leads of its own: by
 * chance, an answer may hold a round number of them, which costs Agent Leads a request or two.
 *
 * @param subject plain Node.js if there is none
 */
async function playRound(subject: Subject | undefined, leads: number, seed: number): Promise<Run> {
	const play = async (scene: Scene) => {
		const now = Math.floor(Date.now() / 1_000) * 1_000;
		const period = { from: now - 30 * DAY_MS + HOUR_MS, to: now - HOUR_MS };
		scene.sandbox.addLeads('applicant', leads, period);
		if (!subject) return plain(scene, pagesOf(scene, period), leads);
		const nodes = await subject(scene, period);
		return await run(scene, nodes, leads);
	};
	return await Scene.play(play, BARE_NODES, seed);
}

async function run(scene: Scene, nodes: NodeInput[], leads: number): Promise<Run> {
	const { n8n, sandbox } = scene;
	const workflow = await scene.workflow('Many leads', nodes);
	const names = nodes.map(({ name }) => name);
	n8n.resetPeakMemory();
	const { ms } = await timed(async () => await n8n.runByWebhook(workflow));
	await until('the execution to be stored', STORING_DEADLINE_MS, async () =>
		(await n8n.listExecutions(workflow)).every(isFinished) ? true : undefined,
	);
	// Before the execution is read: n8n takes memory for that as well.
	const peakMb = n8n.peakMemory() / 1e6;
	const [newest] = await n8n.listExecutions(workflow);
	const execution = await n8n.getExecution(newest?.id ?? '');
	const found = execution.runs(names.at(-1) ?? '')[0]?.data?.main?.[0]?.length;
	// Neighbouring pages share a second, and the floor does not sort out a lead that two pages bring.
	if (execution.status !== 'success' || (found ?? 0) < leads)
		throw new Failure(`The run ended as ${execution.status}, with ${found} of ${leads} leads.`);
	const nodeMs = sum(names.map((name) => execution.runs(name)[0]?.executionTime ?? NaN));
	return { ms, nodeMs, requests: sandbox.counts.dataRequests, peakMb };
}

/** Plain Node.js, in a process of its own as n8n is. */
async function plain(scene: Scene, urls: string[], leads: number): Promise<Run> {
	const { authUrl, leadsUrl, counts } = scene.sandbox;
	const { clientId, clientSecret } = scene.addClient();
	const form = {
		grant_type: 'client_credentials',
		client_id: clientId,
		client_secret: clientSecret,
		audience: leadsUrl,
	};
	const work = { tokenUrl: `${authUrl}/oauth2/token`, form, urls };
	const script = join(root, 'bench', 'bare', 'plain.mjs');
	const { stdout } = await promisify(execFile)(nodeForN8n(), [script, JSON.stringify(work)]);
	const { ms, items } = JSON.parse(stdout) as { ms: number; items: number };
	if (items < leads) throw new Failure(`Plain Node.js found ${items} of ${leads} leads.`);
	return { ms, nodeMs: ms, requests: counts.dataRequests, peakMb: NaN };
}
