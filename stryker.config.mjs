// @ts-check
/**
 * Mutation testing: what a change of the code would go unnoticed. npm run mutation -- --file service/http/retry.ts
 *
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	// What decides how often, when and whether at all: the client of the service, and the progress of the targets.
	mutate: [
		'service/**/*.ts',
		'nodes/Agent{Leads,Inventory}Trigger/*.ts',
		'nodes/common/polling/**/*.ts',
		'nodes/common/runs/**/*.ts',
	],
	testRunner: 'jest',
	jest: {
		configFile: 'test/lab/mutation/jest.config.js',
		// Of the unit tests, those that reach the file.
		enableFindRelatedTests: true,
	},
	coverageAnalysis: 'perTest',
	// The first run of all tests, which tells which of them reach what.
	dryRunTimeoutMinutes: 60,
	// A mutant in what runs once as a module loads would need all tests again.
	ignoreStatic: true,
	// Tests in their own folder, without what they do not read. The bundle of OpenPGP.js in .tmp/jest goes with them:
	// Stryker looks for what tests import before Jest's globalSetup runs, and keeps to what it found.
	ignorePatterns: [
		'.n8n',
		'.tmp',
		'!.tmp/jest',
		'dist',
		'test/e2e/node_modules',
		'test/proof',
		'scripts/scanner',
		'docs/images',
	],
	tempDirName: '.tmp/stryker',
	reporters: ['progress-append-only', 'clear-text', 'json'],
	jsonReporter: { fileName: '.tmp/mutation/report.json' },
	clearTextReporter: { allowColor: false, reportTests: false, allowEmojis: false },
	// Several tests may wait in vain one after the other (test/lab/mutation/jest.config.js).
	timeoutMS: 15_000,
	concurrency: 1,
	allowConsoleColors: false,
};
