// @ts-check
// npm run bench: our nodes beside n8n's HTTP Request node, in a real n8n; the figures go to bench/README.md.
// It ends with an error if a goal is missed. --only NAME measures one case and renews its part of the page.
// npm run bench -- --quick: one round, fewer sizes, in under two minutes. It only prints: one round proves no goal.
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { load } from '../scripts/lib/compile.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';

await main(async () => {
	const { quick, only } = settings();
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	/** @type {typeof import('./main.js')} */
	const { bench } = await load('bench/main.ts');
	await bench({
		isQuick: quick,
		only,
		// Not before the installation, which brings what it needs.
		draw: async (plot) => await (await import('./lib/plot.mjs')).draw(plot),
	});
});

function settings() {
	const { values } = parseArgs({
		options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
	});
	const cases = readdirSync(join(root, 'bench', 'cases')).map((file) => parse(file).name);
	if (values.only !== undefined && !cases.includes(values.only))
		throw new Failure(`--only takes one of: ${cases.join(', ')}; not ${values.only}.`);
	return values;
}
