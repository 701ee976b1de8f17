import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import omit from 'lodash/omit';

jest.setTimeout(60_000);

const PROJECT = join(__dirname, '..', '..', '..');
const PASSES = "test('passes', () => {});\n";

/** Names of what the command asks for before tests run; here nothing has to be installed. */
const INSTALLS = [
	...['ensureBrowser', 'ensureN8n', 'ensureOpenpgp', 'ensureOtherN8ns'],
	...['ensureQueueServices', 'ensureRoot', 'ensureScanner'],
];

const JEST_CONFIG = `module.exports = {
	projects: ['unit', 'engine', 'e2e', 'proof'].map((name) => ({
		displayName: name,
		transform: {},
		testMatch: ['<rootDir>/test/' + name + '/**/*.test.ts'],
	})),
};`;

let folder: string;

function put(path: string, text: string): void {
	const file = join(folder, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, text);
}

/** The real test command with the real Jest, in a project of five tests. */
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'test-command-'));
	mkdirSync(join(folder, '.tmp'));
	cpSync(join(PROJECT, 'scripts', 'lib'), join(folder, 'scripts', 'lib'), { recursive: true });
	cpSync(join(PROJECT, 'scripts', 'test.mjs'), join(folder, 'scripts', 'test.mjs'));
	symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
	put(
		'scripts/ensure-install.mjs',
		INSTALLS.map((name) => `export const ${name} = async () => {};`).join('\n'),
	);
	put('scripts/build.mjs', 'export const build = async () => {};');
	put('scripts/pack.mjs', 'export const pack = async () => {};');
	put('scripts/scanner/scan.mjs', '');
	put('package.json', '{ "scripts": { "lint": "true", "typecheck": "true" } }');
	put('jest.config.js', JEST_CONFIG);
	for (const path of ['unit/a', 'engine/a', 'e2e/a', 'proof/community', 'proof/reproducible']) {
		put(`test/${path}.test.ts`, PASSES);
	}
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns how the command ended, and its last line */
function outcomeOf(...args: string[]) {
	// The inner Jest is not a worker of the outer one.
	const env = omit(process.env, 'JEST_WORKER_ID');
	const { status, stdout } = spawnSync(process.execPath, ['scripts/test.mjs', ...args], {
		cwd: folder,
		encoding: 'utf8',
		env,
	});
	return { status, last: stdout.trim().split('\n').at(-1) };
}

describe('the test command', () => {
	it('is green where all tests pass, and counts them', () => {
		expect(outcomeOf()).toEqual({ status: 0, last: '5 passed, 0 failed' });
	});

	it.each([
		['a folder', 'e2e/a.test.ts', 'e2e/a.ts'],
		['the folder of a proof', 'proof/community.test.ts', 'proof/community/helpers.ts'],
		['the file of a proof', 'proof/reproducible.test.ts', 'proof/other.ts'],
	])('is red where %s has no test any more', (_, gone, left) => {
		rmSync(join(folder, 'test', gone));
		put(`test/${left}`, PASSES);

		expect(outcomeOf()).toEqual({ status: 1, last: '4 passed, 1 failed' });
	});

	it.each([
		['fails', "test('fails', () => { throw new Error('No'); });"],
		['ends its process', `${PASSES}afterAll(() => process.exit(0));`],
		['skips a test', `${PASSES}test.skip('later', () => {});`],
		['runs one test alone', `${PASSES}test.only('alone', () => {});`],
		['plans a test', `${PASSES}test.todo('later');`],
		['has none', ''],
		['fails at its end', `${PASSES}afterAll(() => { throw new Error('No'); });`],
	])('is red where a file %s', (_, text) => {
		put('test/unit/b.test.ts', text);

		expect(outcomeOf('--only', 'unit').status).toBe(1);
	});

	it('is red for a part that is not known', () => {
		expect(outcomeOf('--only', 'everything').status).toBe(1);
	});
});
