import { startLimited, type Limit, type Seen } from '../../test/lab/limitedServer';
import { agentLeads } from '../../test/lab/n8n/stage/nodes';
import { median, sum } from '../lib/figures';
import { timed } from '../lib/measure';
import { httpRequest, itemsOf } from '../lib/nodes';
import { atMost, say, times, whole, type Result, type Settings } from '../lib/report';
import { Scene } from '../lib/scene';

interface Run extends Seen {
	ms: number;
}

/** One limit, at both nodes. */
interface Measured {
	limit: Limit;
	ours: Run;
	theirs: Run;
}

const IDS = Array.from({ length: 80 }, (_, index) => String(20_000 + index));
const AT_ONCE = 'HTTP Request, all at once';
const FEWER = 5;

export async function limitedService({ isQuick }: Settings): Promise<Result> {
	return report(
		await Scene.play(async (scene) => {
			const measured: Measured[] = [];
			for (const limit of limits(isQuick)) measured.push(await measure(scene, limit));
			return measured;
		}),
	);
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
async function measure(scene: Scene, limit: Limit): Promise<Measured> {
	say(`${limit.perSecond} requests in ${limit.counts}, ${limit.latencyMs} ms`);
	const [forThem, forUs] = [await startLimited(limit), await startLimited(limit)];
	const request = httpRequest(await scene.oauth2(forThem.url), `${forThem.url}/applicant-leads`, {
		'branch-id': '={{ $json.branch }}',
	});
	const parameters = { filterBy: 'branch', filterId: IDS.join(',') };
	const theirs = await scene.workflow(AT_ONCE, [
		...itemsOf('branch', IDS),
		// The others are asked all the same.
		{ ...request, onError: 'continueRegularOutput' },
	]);
	const ours = await scene.workflow('Agent Leads', [
		agentLeads(await scene.ourCredential([], forUs.url), parameters),
	]);
	const run = async (workflow: typeof ours, seen: Seen): Promise<Run> => {
		const { ms } = await timed(async () => await scene.n8n.runByWebhook(workflow));
		return { ms, ...seen };
	};
	const measured = {
		limit,
		theirs: await run(theirs, forThem.seen),
		ours: await run(ours, forUs.seen),
	};
	await Promise.all([forThem.stop(), forUs.stop()]);
	return measured;
}

function report(measured: Measured[]): Result {
	const answered = measured.filter(({ ours }) => ours.taken.length === IDS.length).length;
	const refused = (whose: 'ours' | 'theirs') => sum(measured.map((each) => each[whose].refused));
	const ratios = measured.map(({ ours, limit }) => ratioOf(ours, limit));
	const fewer = refused('theirs') / refused('ours');
	return {
		title: 'A service that counts: 5, 10 or 20 requests a second',
		about: `${IDS.length} requests, one for each branch, to a service that answers 429 to all that is too much. It counts those of the last second, or those of each second of the clock, with and without a Retry-After; each answer takes the same time, a 429 too. “All at once” is one HTTP Request node with ${IDS.length} input items. Agent Leads knows nothing of the service before. The ratio is to the time that ${IDS.length} requests take at the limit.`,
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
			[...cellsOf(limit, AT_ONCE, theirs), ''],
			[...cellsOf(limit, 'Agent Leads', ours), times(ratioOf(ours, limit))],
		]),
		goals: [
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
			atMost(2, 'Wall time, beside what the limit allows, in the median row', median(ratios)),
			atMost(3, 'Wall time, beside what the limit allows, in each row', Math.max(...ratios)),
		],
	};
}

function cellsOf(
	{ perSecond, counts, saysWhen, latencyMs }: Limit,
	nodes: string,
	{ refused, taken, ms }: Run,
): string[] {
	const limit = [whole(perSecond), counts, saysWhen ? 'yes' : 'no', whole(latencyMs)];
	return [...limit, nodes, whole(refused), `${taken.length} of ${IDS.length}`, whole(ms)];
}

function ratioOf({ ms }: Run, { perSecond }: Limit): number {
	return ms / ((IDS.length / perSecond) * 1_000);
}
