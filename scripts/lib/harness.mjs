// @ts-check
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { root, tmp } from './paths.mjs';
import { run } from './run.mjs';

/**
 * The tests' way to start and drive a real n8n. It is TypeScript, compiled here for use outside the test runner.
 * @returns {Promise<typeof import('../../test/lab/n8n/index.js')>}
 */
export async function loadHarness() {
	const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
	await run(process.execPath, [tsc, '-p', join(root, 'test', 'lab', 'n8n')]);
	return createRequire(import.meta.url)(join(tmp, 'harness', 'index.js'));
}
