// @ts-check
// npm run check:service: is a real environment of the service as test/lab/contract has it? It reads only; what it takes is in
// npm run check:service -- --help
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { ensureRoot } from './ensure-install.mjs';
import { root, tmp } from './lib/paths.mjs';
import { Failure, main } from './lib/run.mjs';

await main(async () => {
	const { help: isHelp } = settings();
	await ensureRoot();
	const { checkService, help } = await loadCheck();
	const write = (/** @type {string} */ line) => console.log(line);
	if (isHelp) write(help());
	else process.exitCode = await checkService(process.env, write);
}, 2);

function settings() {
	try {
		return parseArgs({ options: { help: { type: 'boolean', default: false } } }).values;
	} catch {
		// What was given may be a secret at the wrong place.
		throw new Failure(
			'check:service takes --help only; everything else is in environment variables.',
		);
	}
}

/**
 * It is TypeScript, compiled here.
 * @returns {Promise<typeof import('../test/lab/check/main.js')>}
 */
async function loadCheck() {
	const { build } = await import('esbuild');
	const outfile = join(tmp, 'check-service.cjs');
	await build({
		entryPoints: [join(root, 'test', 'lab', 'check', 'main.ts')],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		logLevel: 'warning',
	});
	return createRequire(import.meta.url)(outfile);
}
