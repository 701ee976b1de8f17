// @ts-check
// npm run bench: our nodes beside n8n's own, in a real n8n; the figures go to bench/README.md.
// It ends with an error if a goal is missed. --only NAME measures one case and renews its part of the page.
// npm run bench -- --quick: one round and fewer sizes. It only prints: one round proves no goal.
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { parseArgs } from 'node:util';

import { launch } from '../scripts/lib/launch.mjs';
import { root } from '../scripts/lib/paths.mjs';
import { Failure } from '../scripts/lib/run.mjs';

await launch(
	'bench/main.ts',
	() => {
		const { values } = parseArgs({
			options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
		});
		const { quick: isQuick, only } = values;
		const cases = readdirSync(join(root, 'bench', 'cases')).map((file) => parse(file).name);
		if (only !== undefined && !cases.includes(only))
			throw new Failure(`--only takes one of: ${cases.join(', ')}; not ${only}.`);
		return { isQuick, only };
	},
	async (/** @type {{ bench: (options: unknown) => Promise<void> }} */ { bench }, options) =>
		await bench(options),
);
