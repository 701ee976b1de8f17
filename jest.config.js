// @ts-check
const shared = {
	testEnvironment: 'node',
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/tsconfig.json' }],
	},
	// The very bundles that are published: beside them a library would find Node's modules, which n8n does not allow.
	globalSetup: '<rootDir>/test/lab/globalSetup.ts',
	moduleNameMapper: { '^(\\.\\./)+vendor/(openpgp|html)$': '<rootDir>/.tmp/jest/$2.js' },
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/.tmp', '<rootDir>/.n8n'],
	setupFiles: ['<rootDir>/test/lab/setup.ts'],
	setupFilesAfterEnv: ['<rootDir>/test/lab/expectations.ts'],
	testPathIgnorePatterns: ['/node_modules/'],
};

/** @type {import('jest').Config} */
module.exports = {
	// Files share nothing.
	maxWorkers: '100%',
	testSequencer: '<rootDir>/test/lab/longestFirst.js',
	// For whatever a test waits for, on a busy machine.
	testTimeout: 60_000,
	projects: ['unit', 'engine', 'e2e', 'proof'].map((name) => ({
		...shared,
		displayName: name,
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
	})),
};
