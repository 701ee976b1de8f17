// @ts-check
// npm test: everything, in the order in which a mistake shows soonest. npm test -- --only unit runs one part.
// npm run test:proof: the proofs that take longer, or need more than npm has.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, sep } from 'node:path';
import { parseArgs } from 'node:util';

import { build } from './build.mjs';
import {
	ensureBrowser,
	ensureN8n,
	ensureOpenpgp,
	ensureOtherN8ns,
	ensureQueueServices,
	ensureRoot,
	ensureScanner,
} from './ensure-install.mjs';
import { pack } from './pack.mjs';
import { root, tmp } from './lib/paths.mjs';
import { Failure, main, report, run, secondsSince, together } from './lib/run.mjs';

/**
 * A step that may begin while others run has `begin`: its place in the list is where it must have ended.
 *
 * @typedef {{ title: string, run: () => Promise<void>, begin?: () => void }} Step
 */

const total = { passed: 0, failed: 0 };

/** The long installs that have begun, one after the other. @type {Promise<void>} */
let underWay = Promise.resolve();

const installRoot = step('Install: development tools', ensureRoot);
const installOpenpgp = step('Install: GnuPG', ensureOpenpgp);
const installBrowser = longInstall('Install: Chromium', ensureBrowser);
const installScanner = step("Install: n8n's scanner", ensureScanner);
const installN8n = longInstall('Install: n8n', ensureN8n);
const check = step('Lint and type-check', () => together([npmRun('lint'), npmRun('typecheck')]));
const compile = step('Build', build);
const package_ = step('Package', pack);
const scan = step("n8n's package scanner", () =>
	run(process.execPath, [join(root, 'scripts', 'scanner', 'scan.mjs')]),
);
const sizes = step('Sizes', () => run(process.execPath, [join(root, 'scripts', 'sizes.mjs')]));
const unit = step('Unit tests', () => jest(['unit']));
const engine = step("Tests in n8n's engine", () => jest(['engine']));
const e2e = step('Tests in a real n8n', () => jest(['e2e']));
const installQueueServices = step('Install: Redis and PostgreSQL', ensureQueueServices);
const installOtherN8ns = longInstall('Install: other versions of n8n', () => ensureOtherN8ns());

/** What shows most mistakes, in a few minutes; and all that the rest needs. */
const first = [
	installRoot,
	installOpenpgp,
	installScanner,
	check,
	compile,
	unit,
	package_,
	scan,
	installBrowser,
	installN8n,
];

/** A proof is a file or a folder in test/proof, with a step here and what has to be installed for it. */
const QUICK_PROOFS = ['reproducible', 'community'];
const PROOFS = [...QUICK_PROOFS, 'browser', 'queue'];

/** npm test plays fewer random schedules than .ci/run, the same each time. */
const FEWER_RUNS = {
	...{ PRODUCT_RUNS: '60', TRIGGER_RUNS: '0.3', WILD_RUNS: '25' },
	...{ PRODUCT_SEED: '1', TRIGGER_SEED: '1', WILD_SEED: '1' },
};

/** @type {Record<string, Step[]>} */
const parts = {
	all: [...first, inN8n(QUICK_PROOFS, FEWER_RUNS)],
	proof: [
		installRoot,
		installBrowser,
		installQueueServices,
		compile,
		package_,
		installN8n,
		installOtherN8ns,
		step('Proof: the package where users run it', () => proofTests(...PROOFS, 'versions')),
	],
	ci: [...first, installQueueServices, inN8n(PROOFS), sizes],
	lint: [installRoot, installScanner, check],
	unit: [installRoot, installOpenpgp, unit],
	engine: [installRoot, installOpenpgp, engine],
	scan: [installRoot, installScanner, compile, package_, scan],
	e2e: [installRoot, installOpenpgp, installBrowser, installN8n, compile, package_, e2e],
	...proofAlone('community', installN8n),
	...proofAlone('reproducible', installN8n),
	...proofAlone('browser', installBrowser, installN8n),
	...proofAlone('queue', installN8n, installQueueServices),
	// Some minutes, most of which it waits.
	...proofAlone('twoMains', installN8n, installQueueServices),
	...proofAlone('versions', installOtherN8ns),
};

await main(async () => {
	const { values } = parseArgs({ options: { only: { type: 'string', default: 'all' } } });
	const steps = parts[values.only];
	if (!steps)
		throw new Failure(`--only takes one of: ${Object.keys(parts).join(', ')}; not ${values.only}.`);
	try {
		for (const each of new Set(steps)) {
			await runStep(each);
			if (each === installRoot) for (const { begin } of new Set(steps)) begin?.();
		}
	} catch (error) {
		report(error);
		// What has begun ends before the last line.
		await Promise.allSettled([underWay]);
	}
	// The last line of all, for whoever reads only that.
	console.log(`\n${total.passed} passed, ${total.failed} failed`);
});

/**
 * @param {string} title
 * @param {() => Promise<void>} body
 * @returns {Step}
 */
function step(title, body) {
	return { title, run: body };
}

/**
 * An install that takes minutes, mostly of the network and one core: it may run beside steps that do not need it.
 *
 * @param {string} title
 * @param {() => Promise<void>} body
 * @returns {Step}
 */
function longInstall(title, body) {
	/** @type {Promise<void> | undefined} */
	let begun;
	const begin = () => {
		begun ??= underWay.then(body);
		underWay = begun;
		// Whoever comes to its place in the list hears of a failure.
		begun.catch(() => {});
	};
	return {
		title,
		begin,
		run: async () => {
			begin();
			await begun;
		},
	};
}

/** @param {Step} each */
async function runStep(each) {
	const started = Date.now();
	const failedBefore = total.failed;
	console.log(`\n=== ${each.title}`);
	try {
		await each.run();
	} catch (error) {
		// A step that is not a test run, or one that broke before it could count, is one failure.
		if (total.failed === failedBefore) total.failed += 1;
		throw error instanceof Failure ? new Failure(`${each.title}: ${error.message}`) : error;
	}
	console.log(`=== ${each.title}: ${secondsSince(started)} s`);
}

/**
 * All that needs n8n or parts of it, in one pool of one worker more than there are processors: most of the time a file
 * waits for n8n, and another computes.
 *
 * @param {string[]} proofs of files or folders in test/proof
 * @param {Record<string, string>} [env] how many random schedules are played, unless the caller has said so
 */
function inN8n(proofs, env) {
	const paths = ['test/engine', 'test/e2e', ...pathsOf(proofs)];
	return step("Tests in n8n's engine and in a real n8n, and proofs", () => {
		Object.assign(process.env, { ...env, ...process.env });
		const workers = String(availableParallelism() + 1);
		return jest(['engine', 'e2e', 'proof'], paths, ['--maxWorkers', workers]);
	});
}

/**
 * @param {string} name of a file or folder in test/proof
 * @param {Step[]} installs
 */
function proofAlone(name, ...installs) {
	const proof = step(`Proof: ${name}`, () => proofTests(name));
	return { [name]: [installRoot, ...installs, compile, package_, proof] };
}

/** @param {string[]} names of files or folders in test/proof */
function proofTests(...names) {
	return jest(['proof'], pathsOf(names));
}

/** @param {string[]} proofs */
function pathsOf(proofs) {
	const paths = proofs.map((name) => join('test', 'proof', name));
	return paths.map((path) => (existsSync(join(root, path)) ? path : `${path}.test.ts`));
}

/** @param {string} script */
function npmRun(script) {
	return run('npm', ['run', '--silent', script]);
}

/**
 * @param {string[]} projects
 * @param {string[]} [paths] of files or folders: all of the projects when not given
 * @param {string[]} [options] of Jest
 */
async function jest(projects, paths = [], options = []) {
	const outputFile = join(tmp, `jest-${projects.join('-')}.json`);
	rmSync(outputFile, { force: true });
	const bin = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	const args = ['--ci', '--selectProjects', ...projects, '--json', '--outputFile', outputFile];
	/** @type {unknown} */
	let failure;
	await run(process.execPath, [bin, ...args, ...options, ...paths]).catch(
		(error) => (failure = error),
	);
	/** @type {Result | undefined} */
	const result = existsSync(outputFile) ? JSON.parse(readFileSync(outputFile, 'utf8')) : undefined;
	const failed = result ? count(result) : 0;
	if (failure) throw failure;
	if (!result) throw new Failure('The tests ended before they could be counted.');
	if (failed > 0) throw new Failure(`${failed} tests failed or were skipped.`);
	// Jest itself leaves out in silence what is not there, as long as it finds other tests.
	const files = result.testResults.map(({ name }) => relative(root, name));
	const missing = paths.filter((path) => !files.some((file) => isIn(file, path)));
	if (missing.length > 0) throw new Failure(`There are no tests in ${missing.join(', nor in ')}.`);
}

/**
 * @param {string} file
 * @param {string} path of the file itself, or of a folder
 */
function isIn(file, path) {
	return file === path || file.startsWith(path + sep);
}

/**
 * What Jest writes about a run.
 *
 * @typedef {Record<'numPassedTests' | 'numFailedTests' | 'numPendingTests' | 'numTodoTests' | 'numRuntimeErrorTestSuites', number>
 *   & { testResults: Array<{ name: string }> }} Result
 */

/**
 * Adds a run to the total. A test that was skipped or only planned counts as failed, as does a file that did not load.
 * @param {Result} result
 * @returns {number} how many failed
 */
function count(result) {
	const failed =
		result.numFailedTests +
		result.numPendingTests +
		result.numTodoTests +
		result.numRuntimeErrorTestSuites;
	total.passed += result.numPassedTests;
	total.failed += failed;
	return failed;
}
