import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { median } from '../../bench/lib/figures';
import { HOSTS, type Host } from '../../test/lab/n8n';
import { HttpReceiver } from '../../test/lab/n8n/httpReceiver';
import { withN8n, type Both } from '../../test/lab/n8n/withN8n';
import { createRandom, shuffled } from '../../test/lab/sandbox/random';
import { sendPush } from '../../test/lab/sandbox/push/send';
import { hostilePosts } from '../../test/lab/hostile/hostilePosts';
import { sendRaw } from '../../test/lab/hostile/rawPost';
import {
	MARK,
	type HostilePost,
	type HostileTarget,
	type HostileWorld,
} from '../../test/lab/hostile/world';
import { createFlows, KEY, PAIR, TRIGGERS, type PushFlow } from '../pushes/flows';

export interface Options {
	seed: number;
	/** How often each is sent; the quickest counts. */
	rounds: number;
	host: Host;
}

/** What became of a post, however often it was sent. */
interface Fate {
	post: HostilePost;
	statuses: Set<number>;
	texts: string[];
	/** Of the quickest answer. */
	ms: number;
}

/** What n8n answers to a body that is no JSON. */
const UNREADABLE = 422;

/** A post that is refused before it is looked at takes no longer than twice the usual. */
const SLOW = 2;

/**
 * Sends requests that must start no run to a real n8n, one after the other.
 *
 * @returns whether none did, and nothing of a secret or a body was told
 */
export async function soakHostile({ seed, rounds, host }: Options): Promise<boolean> {
	const target = await HttpReceiver.start();
	const env = { ...HOSTS[host], N8N_LOG_LEVEL: 'debug', N8N_LOG_FORMAT: 'json' };
	const work = async (both: Both) => await attack(both, { seed, rounds, url: target.url });
	return await withN8n(work, { n8n: { env } }).finally(() => target.stop());
}

async function attack(
	both: Both,
	{ seed, rounds, url }: { seed: number; rounds: number; url: string },
) {
	const { n8n } = both;
	const flows = await createFlows(both, url);
	for (const { workflow } of flows) await n8n.activate(workflow);
	const posts = hostilePosts(worldOf(flows), seed);
	const fates = await sendAll(n8n.url, posts, rounds, seed);
	const findings = [...fates.flatMap(problemsOf), ...(await runsOf(both, flows))];
	for (const [where, text] of [['log', n8n.logs()], ...databaseOf(n8n.userFolder)] as const) {
		for (const secret of SECRETS)
			if (text.includes(secret)) findings.push(`“${secret}” is in the ${where}`);
	}
	findings.push(...(await takesLeads(flows)));
	report(fates, rounds);
	for (const finding of findings) console.log(finding);
	console.log(`seed ${seed}: ${findings.length === 0 ? 'passed' : 'FAILED'}`);
	return findings.length === 0;
}

const SECRETS = [KEY, PAIR.clientSecret, MARK];

function worldOf(flows: PushFlow[]): HostileWorld {
	const [byKey, byToken] = flows.map(targetOf);
	if (!byKey || !byToken) throw new Error('Two flows are needed');
	return { byKey, key: KEY, byToken, pair: PAIR };
}

function targetOf({ workflow, target }: PushFlow): HostileTarget {
	const node = workflow.nodes.find(({ name }) => name === TRIGGERS[0]);
	const { pathname } = new URL(target.url);
	return {
		leads: pathname,
		token: pathname.replace(/leads$/, 'token'),
		name: `${workflow.id}:${node?.id}`,
	};
}

async function sendAll(
	url: string,
	posts: HostilePost[],
	rounds: number,
	seed: number,
): Promise<Fate[]> {
	const fates = posts.map((post): Fate => ({ post, statuses: new Set(), texts: [], ms: Infinity }));
	for (let round = 0; round < rounds; round++) {
		// n8n may be busy for a moment: it meets others each time.
		for (const fate of shuffled(createRandom(seed + round), fates)) {
			const { status, text, ms } = await sendRaw(url, fate.post);
			fate.statuses.add(status);
			fate.texts.push(text);
			fate.ms = Math.min(fate.ms, ms);
		}
	}
	return fates;
}

function problemsOf({ post, statuses, texts }: Fate): string[] {
	const { name, method } = post;
	// What OPTIONS may be asked for is n8n's business.
	const isTaken =
		[...statuses].some((status) => status >= 200 && status < 300) && method !== 'OPTIONS';
	// To a body that is no JSON n8n itself says how it begins.
	const secrets = SECRETS.filter((secret) => secret !== MARK || !statuses.has(UNREADABLE));
	const told = secrets.filter((secret) => texts.some((text) => text.includes(secret)));
	return [
		...(isTaken ? [`${name}: answered ${[...statuses].join(', ')}`] : []),
		...told.map((secret) => `${name}: the answer holds “${secret}”`),
	];
}

async function runsOf({ n8n }: Both, flows: PushFlow[]): Promise<string[]> {
	const runs = await Promise.all(flows.map(async ({ workflow }) => await n8n.executions(workflow)));
	return runs.flat().map(({ id, text }) => `execution ${id} was started: ${text.slice(0, 400)}`);
}

/** Files of n8n's folder in which something may have been kept. */
function databaseOf(userFolder: string): Array<[string, string]> {
	const folder = join(userFolder, '.n8n');
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((file) => file.isFile() && !file.parentPath.includes('node_modules'))
		.map((file) => [`file ${file.name}`, readFileSync(join(file.parentPath, file.name), 'latin1')]);
}

/** After all that. */
async function takesLeads([flow]: PushFlow[]): Promise<string[]> {
	if (!flow) return [];
	const headers = { Authorization: KEY, 'Content-Type': 'application/json' };
	const { status } = await sendPush(flow.target.url, headers, '{"applicant":{"id":"after all"}}');
	return status === 200 ? [] : [`a good lead was answered ${status}`];
}

function report(fates: Fate[], rounds: number): void {
	const usual = fates.filter(({ post, statuses }) => !post.isHeavy && !statuses.has(0));
	const middle = median(usual.map(({ ms }) => ms));
	const slow = usual.filter(({ ms }) => ms > SLOW * middle).sort((a, b) => b.ms - a.ms);
	const byStatus = new Map<string, number>();
	const failed = new Set(
		fates.filter(({ statuses }) => Math.max(...statuses) >= 500).map(({ post }) => post.name),
	);
	for (const { statuses } of fates) {
		const key = [...statuses].sort().join('/');
		byStatus.set(key, (byStatus.get(key) ?? 0) + 1);
	}
	const statuses = [...byStatus].map(([status, count]) => `${count} × ${status}`).join(', ');
	console.log(`${fates.length} posts, each sent ${rounds} times: ${statuses}`);
	console.log(`answered 500 or more: ${[...failed].join(', ') || 'none'}`);
	const slowest = Math.max(...usual.map(({ ms }) => ms));
	console.log(
		`median ${middle.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms, ${slow.length} slower than twice the median`,
	);
	for (const { post, ms } of slow)
		console.log(`  ${ms.toFixed(1)} ms: ${post.name}, ${post.body.length} bytes`);
	for (const { post, ms } of fates.filter((fate) => fate.post.isHeavy))
		console.log(`  ${ms.toFixed(1)} ms: ${post.name}`);
}
