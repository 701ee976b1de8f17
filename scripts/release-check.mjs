// @ts-check
// npm run release:check: whether there is anything left to fill in before this version is published.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './lib/paths.mjs';
import { placeholders } from './lib/placeholders.js';
import { Failure, main } from './lib/run.mjs';

await main(async () => {
	const docs = readdirSync(join(root, 'docs')).filter((file) => file.endsWith('.md'));
	const files = [
		...['README.md', 'CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'vendor/README.txt'],
		...['bench', 'service', 'test'].map((room) => `${room}/README.md`),
		...docs.map((file) => `docs/${file}`),
	];
	const found = placeholders({
		manifest: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')),
		pages: Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
		// GitHub tells a workflow where it runs.
		repository: process.env.GITHUB_REPOSITORY,
	});
	if (found.length > 0)
		throw new Failure(`Not ready to be published:\n${found.map((each) => `- ${each}`).join('\n')}`);
	console.log('No placeholder is left.');
});
