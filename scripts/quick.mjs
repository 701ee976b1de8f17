// @ts-check
// npm run test:quick, for the inner loop: the types of the package, and lint and unit tests of what has changed since main,
// and the tests of texts, fields and pages.
// Random schedules are left out; npm test has them, and all the rest.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { ensureRoot } from './ensure-install.mjs';
import { root } from './lib/paths.mjs';
import { main, run, secondsSince, together } from './lib/run.mjs';

const NOT_QUICK = '/node_modules/|\\.property\\.test\\.ts$';

/** These tests read texts, fields and pages from files, so Jest does not see what of a change they depend on. */
const BY_FILE =
	'test/unit/(package/(sentences|examples|documented.*)|nodes/(descriptions|builderHints|common/labels))\\.';

await main(async () => {
	const started = Date.now();
	await ensureRoot();
	const base = mergeBase();
	const changed = changedSince(base);
	const linted = changed.filter((file) => /\.[cm]?[jt]s$/.test(file));
	await together([
		tool('typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.build.json'),
		...(linted.length > 0 ? [tool('eslint/bin/eslint.js', '--no-warn-ignored', ...linted)] : []),
		...(changed.length > 0
			? [tool('prettier/bin/prettier.cjs', '--check', '--ignore-unknown', ...changed)]
			: []),
		unit('--changedSince', base, '--passWithNoTests', '--testPathIgnorePatterns', NOT_QUICK),
		unit('--testPathPatterns', BY_FILE),
	]);
	console.log(`\nTypes, lint and unit tests pass: ${secondsSince(started)} s`);
});

/**
 * @param {string} name a program of a development tool
 * @param {string[]} args
 */
function tool(name, ...args) {
	return run(process.execPath, [join(root, 'node_modules', name), ...args]);
}

/** @param {string[]} args */
function unit(...args) {
	return tool('jest/bin/jest.js', '--selectProjects', 'unit', ...args);
}

/** Where the branch left main; on main, its last commit. */
function mergeBase() {
	const main = ['origin/main', 'main'].find(
		(name) => git('branch', '--all', '--list', name) !== '',
	);
	return main === undefined ? 'HEAD' : git('merge-base', 'HEAD', main);
}

/** @param {string} base */
function changedSince(base) {
	const tracked = git('diff', '--name-only', '--diff-filter=d', base);
	const added = git('ls-files', '--others', '--exclude-standard');
	const names = `${tracked}\n${added}`.split('\n').filter((name) => name !== '');
	return names.filter((name) => existsSync(join(root, name)));
}

/** @param {string[]} args */
function git(...args) {
	return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
