import type { StoredWorkflow } from '../../test/lab/n8n';
import { oauth2At, ourCredentialAt } from '../lib/credentials';
import { sum } from '../lib/figures';
import { LimitedServer, type Limit, type Seen } from '../../test/lab/limitedServer';
import { timed } from '../lib/measure';
import { agentLeads, httpRequest, itemsOf, limit as firstItem } from '../lib/nodes';
import { say, times, whole, type Goal, type Result, type Settings } from '../lib/result';
import type { Scene } from '../lib/scene';

interface Run {
	ms: number;
	refused: number;
	taken: number;
	tokens: number;
}

/** One limit, at both nodes. */
interface Measured {
	limit: Limit;
	ours: Run;
	theirs: Run;
}

const BRANCHES = Array.from({ length: 80 }, (_, index) => String(20_000 + index));
const OURS = 'Agent Leads';
const AT_ONCE = 'HTTP Request, all at once';
const LONGEST_RATIO = 1.3;
const FEWER = 10;

export async function limitedService({ isQuick }: Settings, scene: Scene): Promise<Result> {
	const server = await LimitedServer.start();
	const measured: Measured[] = [];
	for (const limit of limits(isQuick)) {
		say(`${limit.perSecond} requests in ${limit.counts}, ${limit.latencyMs} ms`);
		measured.push(await measure(scene, server, limit));
	}
	await server.stop();
	return report(measured);
}

function limits(isQuick: boolean): Limit[] {
	return (isQuick ? [20] : [5, 10, 20]).flatMap((perSecond) =>
		(isQuick ? [20] : [0, 20, 150]).flatMap((latencyMs) =>
			(['the last second', 'each second'] as const).flatMap((counts) =>
				[true, false].map((saysWhen) => ({ perSecond, latencyMs, counts, saysWhen })),
			),
		),
	);
}

/** Each node has an address and a client of its own, and so nothing that was learned before. */
async function measure(scene: Scene, server: LimitedServer, limit: Limit): Promise<Measured> {
	const [forThem, forUs] = [server.add(limit), server.add(limit)];
	const theirs = await run(scene, await byHttpRequest(scene, forThem.url), forThem.seen);
	const ours = await run(scene, await byAgentLeads(scene, forUs.url), forUs.seen);
	return { limit, ours, theirs };
}

async function run({ n8n }: Scene, workflow: StoredWorkflow, seen: Seen): Promise<Run> {
	const { ms } = await timed(async () => await n8n.runByWebhook(workflow));
	return { ms, refused: seen.refused, taken: seen.taken.length, tokens: seen.tokens };
}

async function byAgentLeads(scene: Scene, url: string): Promise<StoredWorkflow> {
	const credentials = await ourCredentialAt(scene, url);
	const parameters = { filterBy: 'branch', filterId: BRANCHES.join(',') };
	return await scene.workflow(OURS, [agentLeads(credentials, parameters), firstItem()]);
}

async function byHttpRequest(scene: Scene, url: string): Promise<StoredWorkflow> {
	const credentials = await oauth2At(scene, url);
	const query = { 'branch-id': '={{ $json.branch }}' };
	const request = httpRequest(credentials, { url: `${url}/applicant-leads`, query });
	return await scene.workflow(AT_ONCE, [
		...itemsOf('branch', BRANCHES),
		// The others are asked all the same.
		{ ...request, onError: 'continueRegularOutput' },
		firstItem(),
	]);
}

function report(measured: Measured[]): Result {
	return {
		title: 'A service that counts: 5, 10 or 20 requests a second',
		about: `${BRANCHES.length} requests, one for each branch, to a service that answers 429 to all that is too much. It counts those of the last second, or those of each second of the clock, with and without a Retry-After; each answer takes the same time, a 429 too. “All at once” is one HTTP Request node with ${BRANCHES.length} input items. Agent Leads knows nothing of the service before. The ratio is to the time that ${BRANCHES.length} requests take at the limit.`,
		columns: [
			'Requests a second',
			'In',
			'Retry-After',
			'The service takes (ms)',
			'Nodes',
			'429s',
			'Answered',
			'Wall time (ms)',
			'Ratio',
		],
		rows: measured.flatMap(({ limit, ours, theirs }) => [
			[...cellsOf(limit), AT_ONCE, ...figuresOf(theirs), ''],
			[...cellsOf(limit), OURS, ...figuresOf(ours), times(ratioOf(ours, limit))],
		]),
		goals: goals(measured),
	};
}

function cellsOf({ perSecond, counts, saysWhen, latencyMs }: Limit): string[] {
	return [whole(perSecond), counts, saysWhen ? 'yes' : 'no', whole(latencyMs)];
}

function figuresOf({ refused, taken, ms }: Run): string[] {
	return [whole(refused), `${taken} of ${BRANCHES.length}`, whole(ms)];
}

function ratioOf({ ms }: Run, { perSecond }: Limit): number {
	return ms / ((BRANCHES.length / perSecond) * 1_000);
}

function goals(measured: Measured[]): Goal[] {
	const answered = measured.filter(({ ours }) => ours.taken === BRANCHES.length).length;
	const fewer =
		sum(measured.map(({ theirs }) => theirs.refused)) /
		sum(measured.map(({ ours }) => ours.refused));
	const ratio = Math.max(...measured.map(({ ours, limit }) => ratioOf(ours, limit)));
	return [
		{
			text: 'All requests are answered, with 1 token',
			figure: `${answered} of ${measured.length} runs`,
			isMet: answered === measured.length && measured.every(({ ours }) => ours.tokens === 1),
		},
		{
			text: `429s: at least ${FEWER} times fewer than all at once`,
			figure: `${fewer.toFixed(1)} times fewer`,
			isMet: fewer >= FEWER,
		},
		{
			text: `Wall time within ${LONGEST_RATIO}× of what the limit allows`,
			figure: times(ratio),
			isMet: ratio <= LONGEST_RATIO,
		},
	];
}
