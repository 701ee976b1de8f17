// @ts-check
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './lib/paths.mjs';
import { isEntryPoint, main, run } from './lib/run.mjs';

/** dist/ from nothing, by gulp, once tsc has found nothing wrong with what goes into it. */
export async function build() {
	rmSync(join(root, 'dist'), { recursive: true, force: true });
	await run(process.execPath, [bin('typescript/bin/tsc'), '-p', 'tsconfig.build.json']);
	await run(process.execPath, [bin('gulp/bin/gulp.js'), '-L', 'build']);
}

/** @param {string} path */
const bin = (path) => join(root, 'node_modules', path);

if (isEntryPoint(import.meta.url)) await main(build);
