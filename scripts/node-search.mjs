// @ts-check
// npm run node-search: where n8n's own searches list our nodes; the ranks go to test/lab/nodeSearch/README.md.
import { build } from './build.mjs';
import { ensureBrowser, ensureN8n, ensureRoot } from './ensure-install.mjs';
import { load } from './lib/compile.mjs';
import { main } from './lib/run.mjs';
import { pack } from './pack.mjs';

await main(async () => {
	await ensureRoot();
	await ensureN8n();
	await ensureBrowser();
	await build();
	await pack();
	/** @type {typeof import('../test/lab/nodeSearch/main.js')} */
	const { recordRanks } = await load('test/lab/nodeSearch/main.ts');
	await recordRanks();
	console.log('Written to test/lab/nodeSearch/README.md.');
});
