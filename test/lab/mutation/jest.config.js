// @ts-check
const { projects = [] } = require('../../../jest.config');

const unit = projects.find(
	(project) => typeof project === 'object' && project.displayName === 'unit',
);
if (typeof unit !== 'object') throw new Error('jest.config.js has no project for the unit tests.');

const tests = (process.env.MUTATION_TESTS ?? 'test/unit').split(',');

/**
 * The unit tests, or those that MUTATION_TESTS names, as a configuration of their own: Stryker knows no projects. Random
 * schedules, ledgers and wild answers are left out. They take minutes, and what they alone would notice should have a
 * test that says what it is about.
 */
module.exports = {
	...unit,
	rootDir: process.cwd(),
	testMatch: tests.map((name) =>
		name.endsWith('.test.ts')
			? `<rootDir>/${name}`
			: `<rootDir>/${name}/**/!(*.property|ledger|wild).test.ts`,
	),
	// A test that a mutant makes wait in vain fails by itself, so that it is known who noticed.
	testTimeout: tests.some((name) => name.startsWith('test/engine')) ? 20_000 : 1_500,
};
