// @ts-check
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { root, tmp } from './paths.mjs';

/**
 * Makes one script of TypeScript and what it imports from this repository, to be run outside the test runner. It lies as
 * deep below the repository as test/lab/paths.ts does, so both find it by the same path.
 * @param {string} entry relative to the repository, such as `test/lab/sandbox/main.ts`
 * @returns {Promise<string>} path of a CommonJS script
 */
export async function compile(entry) {
	// An installation may be what this script is run for.
	const { build } = await import('esbuild');
	const { ALIAS } = createRequire(import.meta.url)('../../vendor/bundle.js');
	const outfile = join(tmp, 'lab', `${entry.replaceAll('/', '-').replace(/\.[jt]s$/, '')}.cjs`);
	const { outputFiles } = await build({
		entryPoints: [join(root, entry)],
		outfile,
		write: false,
		bundle: true,
		packages: 'external',
		// A library's file that Node.js may not load by its name.
		alias: ALIAS,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		logLevel: 'warning',
		sourcemap: 'inline',
	});
	// Others may compile or read the same script at this moment: they must never see half of it.
	const unfinished = `${outfile}.${process.pid}`;
	mkdirSync(dirname(outfile), { recursive: true });
	for (const { contents } of outputFiles) writeFileSync(unfinished, contents);
	renameSync(unfinished, outfile);
	return outfile;
}

/**
 * What a file of TypeScript exports; each is a copy of its own, with its own copy of all that it imports.
 * @param {string} entry relative to the repository
 */
export async function load(entry) {
	return createRequire(import.meta.url)(await compile(entry));
}
