// @ts-check
// npm run release:check: whether there is anything left to fill in before this version is published.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './lib/paths.mjs';
import { placeholders, readPages } from './lib/placeholders.js';
import { Failure, main } from './lib/run.mjs';

await main(async () => {
	const found = placeholders({
		manifest: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
		pages: readPages(root),
		// GitHub tells a workflow where it runs.
		repository: process.env.GITHUB_REPOSITORY,
	});
	if (found.length > 0)
		throw new Failure(`Not ready to be published:\n${found.map((each) => `- ${each}`).join('\n')}`);
	console.log('No placeholder is left.');
});
