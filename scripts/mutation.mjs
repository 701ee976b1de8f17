// @ts-check
// npm run mutation -- --file service/http/retry.ts     one file, or several with a comma between them
// … --tests test/unit/service/http                     with the tests of a folder or a file alone, or several with
//                                                      a comma between them: minutes, and no better score.
//                                                      Otherwise unit tests, and for nodes those in n8n's engine,
//                                                      too: for the files of a node its own tests alone
// npm run mutation                                     all of them, which takes hours
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ensureRoot } from './ensure-install.mjs';
import { root, tmp } from './lib/paths.mjs';
import { Failure, main, run } from './lib/run.mjs';

/** The share of the mutants of each file that a test has to notice, in percent. */
const GOAL = 90;

const NOTICED = ['Killed', 'Timeout'];
const MISSED = ['Survived', 'NoCoverage'];

/** @typedef {{ status: string }} Mutant */

await main(async () => {
	const { values } = parseArgs({
		options: { file: { type: 'string' }, tests: { type: 'string' } },
	});
	await ensureRoot();
	const { bundleLibrary, LIBRARIES } = createRequire(import.meta.url)('../vendor/bundle.js');
	for (const name of LIBRARIES.keys()) await bundleLibrary(name, join(tmp, 'jest', `${name}.js`));
	const stryker = join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
	const args = values.file === undefined ? [] : ['--mutate', values.file];
	// What polls is proved by tests in n8n's engine: what only one node has by that node's, the rest by all of them.
	const [, isService, node] = /^(service)|^(nodes\/Agent\w+)/.exec(values.file ?? '') ?? [];
	const ofNodes = node ? `test/unit/${node},test/engine/${node}` : 'test/unit,test/engine/nodes';
	const usual = isService ? 'test/unit' : ofNodes;
	// test/lab/mutation/jest.config.js reads it.
	const env = { ...process.env, MUTATION_TESTS: values.tests ?? usual };
	await run(process.execPath, [stryker, 'run', ...args], { env });

	/** @type {{ files: Record<string, { mutants: Mutant[] }> }} */
	const { files } = JSON.parse(readFileSync(join(tmp, 'mutation', 'report.json'), 'utf8'));
	const scores = Object.entries(files).map(([file, { mutants }]) => ({ file, ...score(mutants) }));
	console.table(scores);
	const low = scores.filter(({ percent }) => percent < GOAL).map(({ file }) => file);
	if (low.length > 0) throw new Failure(`Fewer than ${GOAL}% noticed in ${low.join(', ')}.`);
});

/** @param {Mutant[]} mutants */
function score(mutants) {
	const count = (/** @type {string[]} */ statuses) =>
		mutants.filter(({ status }) => statuses.includes(status)).length;
	const [noticed, missed] = [count(NOTICED), count(MISSED)];
	const all = noticed + missed;
	return { noticed, missed, percent: all === 0 ? 100 : Math.floor((1000 * noticed) / all) / 10 };
}
