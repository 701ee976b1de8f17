// @ts-check
// node --permission … run.js <folder of the package> <test file> …: the tests of n8n's engine, played on the built
// package in a process that may neither write nor start anything. Prints what came of them as JSON.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { jestExpect } = require('@jest/expect');
const circus = require('jest-circus');
const { ModuleMocker } = require('jest-mock');

const { Modules } = require('./modules');

const RIGHTS = ['fs.write', 'child', 'worker', 'wasi', 'addon'];

/** As in jest.config.js. */
const TEST_TIMEOUT = 20_000;

const [packageFolder = '', ...files] = process.argv.slice(2);

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
	config: /** @type {import('@jest/types').Config.ProjectConfig} */ ({
		rootDir: '',
		fakeTimers: {},
	}),
	global: globalThis,
});

const modules = new Modules(packageFolder, (from) => ({
	...circus,
	expect: jestExpect,
	jest: jestFor(from),
}));

/**
 * The part of Jest's object that these tests use.
 *
 * @param {NodeModule} from
 */
function jestFor(from) {
	/** @type {(id: string, make: () => unknown) => void} */
	const mock = (id, make) => modules.mock(from, id, make);
	return {
		mock,
		doMock: mock,
		dontMock: (/** @type {string} */ id) => modules.unmock(from, id),
		requireActual: (/** @type {string} */ id) => modules.actual(from, id),
		resetModules: () => modules.reset(),
		mocked: (/** @type {unknown} */ value) => value,
		fn: mocker.fn.bind(mocker),
		spyOn: mocker.spyOn.bind(mocker),
		restoreAllMocks: () => mocker.restoreAllMocks(),
		useFakeTimers: timers.useFakeTimers.bind(timers),
		useRealTimers: () => timers.useRealTimers(),
		setSystemTime: timers.setSystemTime.bind(timers),
		setTimeout: (/** @type {number} */ ms) => {
			circus.getState().testTimeout = ms;
		},
	};
}

/** @param {string} file */
async function play(file) {
	circus.resetState();
	circus.getState().testTimeout = TEST_TIMEOUT;
	require('../setup');
	require(file);
	const { testResults, unhandledErrors } = await circus.run();
	const failures = [...unhandledErrors, ...testResults.flatMap(failureOf)];
	timers.useRealTimers();
	mocker.restoreAllMocks();
	modules.reset();
	modules.forgetMocks();
	return { file, tests: testResults.length, failures };
}

/**
 * A test that was skipped, or only planned, counts as failed.
 *
 * @param {import('@jest/types').Circus.TestResult} result
 */
function failureOf({ status, errors, testPath }) {
	return status === 'done' && errors.length === 0
		? []
		: [`${testPath.slice(1).join(' › ')}: ${errors.join('\n') || status}`];
}

(async () => {
	const results = [];
	for (const file of files) results.push(await play(file));
	const rights = RIGHTS.filter((right) => process.permission.has(right));
	process.stdout.write(JSON.stringify({ rights, results }), () => process.exit());
})();
