// @ts-check
// npm run bench: our nodes beside n8n's HTTP Request node, in a real n8n; the figures go to docs/benchmark.md.
// It ends with an error if a goal is missed. --only NAME measures and prints one case.
// npm run bench -- --quick: one round, fewer sizes, in under two minutes. It only prints: one round proves no goal.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { loadHarness } from '../scripts/lib/harness.mjs';
import { nodeForN8n } from '../scripts/lib/n8n-runtime.mjs';
import { e2e } from '../scripts/lib/paths.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';
import { busyService } from './cases/busyService.mjs';
import { addLeads, manyBranches } from './cases/manyBranches.mjs';
import { manyLeads } from './cases/manyLeads.mjs';
import { manyProperties } from './cases/manyProperties.mjs';
import { quietPoll } from './cases/quietPoll.mjs';
import { start } from './cases/start.mjs';
import { together } from './cases/together.mjs';
import { print, write } from './lib/report.mjs';
import { Scene } from './lib/scene.mjs';

const ROUNDS = 5;

/** @typedef {import('./lib/scene.mjs').Bench} Bench */
/** @typedef {import('./lib/report.mjs').Result} Result */

/**
 * In the order of the page. A case is alone with what it starts, or shares one n8n with the others.
 *
 * @type {Record<string, { alone: (bench: Bench) => Promise<Result> }
 *   | { shared: (bench: Bench, scene: Scene) => Promise<Result> }>}
 */
const CASES = {
	manyLeads: { alone: manyLeads },
	manyBranches: { shared: manyBranches },
	manyProperties: { shared: manyProperties },
	quietPoll: { alone: quietPoll },
	together: { shared: together },
	busyService: { shared: busyService },
	start: { alone: start },
};

await main(async () => {
	const { values } = parseArgs({
		options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
	});
	const all = Object.keys(CASES);
	const names = values.only === undefined ? all : [values.only];
	if (!names.every((name) => all.includes(name)))
		throw new Failure(`--only takes one of: ${all.join(', ')}; not ${values.only}.`);
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	const bench = {
		harness: await loadHarness(),
		quick: values.quick,
		rounds: values.quick ? 1 : ROUNDS,
		say: (/** @type {string} */ text) => console.log(`${text} …`),
	};

	const startedAt = performance.now();
	const results = await measure(bench, names);
	const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
	for (const result of results) print(result, !values.quick);
	if (!values.quick && values.only === undefined)
		write(results, { rounds: ROUNDS, minutes, ...versions() });
	const missed = results.flatMap(({ goals }) => goals).filter(({ isMet }) => !isMet);
	if (missed.length > 0 && !values.quick)
		throw new Failure(
			`Missed: ${missed.map(({ text, figure }) => `${text} (${figure})`).join('; ')}.`,
		);
});

/**
 * @param {Bench} bench
 * @param {string[]} names
 */
async function measure(bench, names) {
	const chosen = Object.entries(CASES).filter(([name]) => names.includes(name));
	/** @type {Map<string, Result>} */
	const results = new Map();
	for (const [name, each] of chosen) {
		if ('alone' in each) results.set(name, await each.alone(bench));
	}
	const shared = chosen.flatMap(([name, each]) => ('shared' in each ? [{ name, ...each }] : []));
	if (shared.length > 0) {
		await Scene.play(bench.harness, async (scene) => {
			addLeads(scene);
			for (const each of shared) results.set(each.name, await each.shared(bench, scene));
		});
	}
	return names.flatMap((name) => results.get(name) ?? []);
}

function versions() {
	const { binary } = nodeForN8n();
	const n8nNode = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim();
	const n8nVersion = createRequire(join(e2e, 'package.json'))('n8n/package.json').version;
	return { n8nVersion, n8nNode };
}
