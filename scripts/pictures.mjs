// @ts-check
// npm run pictures [-- --only name …]: takes the pictures of docs/images in a real n8n.
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import { ensureBrowser, ensureN8n, ensureRoot } from './ensure-install.mjs';
import { load } from './lib/compile.mjs';
import { main } from './lib/run.mjs';
import { pack } from './pack.mjs';

await main(async () => {
	const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
	await ensureRoot();
	await ensureN8n();
	await ensureBrowser();
	await build();
	await pack();
	/** @type {{ takePictures: (only?: string[]) => Promise<void> }} */
	const { takePictures } = await load('test/lab/pictures.ts');
	await takePictures(values.only);
});
