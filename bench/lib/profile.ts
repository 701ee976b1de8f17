// Where the time of a node goes: a CPU profile of n8n, by who spent it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PACKAGE_NAME, until } from '../../test/lab/n8n';
import { root } from '../../test/lab/paths';
import { sum } from './figures';
import { Scene } from './scene';

/** A span of time, in epoch milliseconds. */
export interface Span {
	from: number;
	to: number;
}

interface Recorded {
	startedAt: number;
	profile: Profiler.Profile;
}

const OURS = 'this package';
const NODE_JS = 'Node.js alone';
const PARSING = 'JSON.parse, in n8n’s HTTP client';
const OTHERS = 'n8n and its HTTP client';

/** What V8 names in place of a function. */
const STATES: Record<string, string> = {
	'(garbage collector)': 'garbage collection',
	'(idle)': 'waiting for the service',
	'(program)': NODE_JS,
	'(root)': NODE_JS,
};

const DEADLINE_MS = 60_000;

/**
 * Plays in an n8n that is profiled while the work goes on.
 *
 * @param prepare what is not profiled; the work that it returns tells which span of it counts
 * @returns shares of the time, from 0 to 1, the largest first
 */
export async function profiled(
	prepare: (scene: Scene) => Promise<() => Promise<Span>>,
): Promise<Array<[string, number]>> {
	const dir = mkdtempSync(join(tmpdir(), 'bench-profile-'));
	const path = join(dir, 'profile');
	const env = {
		NODE_OPTIONS: `--require ${join(root, 'bench', 'bare', 'profile.js')}`,
		BENCH_PROFILE: path,
	};
	try {
		return await Scene.play(async (scene) => {
			const work = await prepare(scene);
			await signal(scene, `${path}.begun`);
			const span = await work();
			await signal(scene, `${path}.ended`);
			return sharesIn(JSON.parse(readFileSync(`${path}.ended`, 'utf8')) as Recorded, span);
		}, env);
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}

async function signal({ n8n }: Scene, answer: string): Promise<void> {
	process.kill(n8n.pid, 'SIGUSR2');
	await until('the profiler', DEADLINE_MS, () => Promise.resolve(existsSync(answer) || undefined));
}

function sharesIn({ startedAt, profile }: Recorded, span: Span): Array<[string, number]> {
	const ownerOf = owners(profile);
	const { samples = [], timeDeltas = [] } = profile;
	const spent = new Map<string, number>();
	let at = startedAt;
	samples.forEach((id, index) => {
		at += (timeDeltas[index] ?? 0) / 1_000;
		const next = timeDeltas[index + 1] ?? 0;
		if (at < span.from || at > span.to) return;
		const owner = ownerOf(id);
		spent.set(owner, (spent.get(owner) ?? 0) + next);
	});
	const total = sum([...spent.values()]);
	const shares = [...spent].map(([owner, time]): [string, number] => [owner, time / total]);
	return shares.sort(([, a], [, b]) => b - a);
}

/** Who spends the time of a sample: what Node.js does for somebody is theirs. */
function owners({ nodes }: Profiler.Profile): (id: number) => string {
	const byId = new Map(nodes.map((node) => [node.id, node]));
	const parents = new Map(
		nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
	);
	return (id) => {
		for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
			const owner = ownerBy(byId.get(at));
			if (owner !== undefined) return owner;
		}
		return NODE_JS;
	};
}

/** @returns undefined if it is whoever called it */
function ownerBy(node?: Profiler.ProfileNode): string | undefined {
	const { functionName = '', url = '' } = node?.callFrame ?? {};
	if (Object.hasOwn(STATES, functionName)) return STATES[functionName];
	if (url === '' || url.startsWith('node:') || url.includes('/lodash/')) return undefined;
	if (functionName === 'transformResponse') return PARSING;
	return url.includes(`/${PACKAGE_NAME}/`) ? OURS : OTHERS;
}
