// @ts-check
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { root, tmp } from './paths.mjs';

/**
 * Makes one script of TypeScript and what it imports from this repository, to be run outside the test runner. It lies as
 * deep below the repository as test/lab/paths.ts does, so both find it by the same path.
 * @param {string} entry relative to the repository, such as `test/lab/check/main.ts`
 * @returns {Promise<string>} path of a CommonJS script
 */
export async function compile(entry) {
	// An installation may be what this script is run for.
	const { build } = await import('esbuild');
	const outfile = join(tmp, 'lab', `${entry.replaceAll('/', '-').replace(/\.[jt]s$/, '')}.cjs`);
	await build({
		entryPoints: [join(root, entry)],
		outfile,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		logLevel: 'warning',
		sourcemap: 'inline',
	});
	return outfile;
}

/**
 * What a file of TypeScript exports; each is a copy of its own, with its own copy of all that it imports.
 * @param {string} entry relative to the repository
 */
export async function load(entry) {
	return createRequire(import.meta.url)(await compile(entry));
}
