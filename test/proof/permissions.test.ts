import { execFile } from 'node:child_process';
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { defaultTarball, nodeForN8n } from '../lab/n8n/installation';
import { root } from '../lab/paths';

jest.setTimeout(600_000);

const execute = promisify(execFile);

/** Folders of tests in n8n's engine that need no process of another program. */
const TESTS = [
	'credentials',
	'nodes/AgentInventory',
	'nodes/AgentLeads',
	'nodes/AgentLeadsPushTrigger',
	'nodes/AgentProducts',
	'nodes/AgentLeadsTrigger',
	'nodes/AgentInventoryTrigger',
];

/** Tests that shorten waits in the sources of the package, which the published script does not notice. */
const SHORTENED = /service\/http\/retry'|useQuickProducts'/;

/** What n8n-core itself asks for, to find out whether it runs in a container. */
const OF_N8N = ['/.dockerenv', '/run/.containerenv'];

interface Report {
	rights: string[];
	results: Array<{ file: string; tests: number; failures: string[] }>;
}

/** The nodes and credentials as they are published, in a process that may do nothing but read and use the network. */
describe("under Node's permission model", () => {
	let folder: string;

	beforeAll(async () => {
		folder = mkdtempSync(join(tmpdir(), 'permissions-'));
		await execute('tar', ['-xzf', defaultTarball(), '-C', folder]);
		symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
		// n8n would write a key of its own here.
		mkdirSync(join(folder, '.n8n'));
		const key = JSON.stringify({ encryptionKey: 'invented' });
		writeFileSync(join(folder, '.n8n', 'config'), key, { mode: 0o600 });
	});

	afterAll(() => rmSync(folder, { recursive: true, force: true }));

	async function play(readable: string[], files: string[]): Promise<Report> {
		const runner = join(root, 'test', 'lab', 'permissions', 'run.js');
		const { stdout } = await execute(
			nodeForN8n(),
			[
				'--permission',
				...[...readable, ...OF_N8N].map((path) => `--allow-fs-read=${path}`),
				...[runner, join(folder, 'package'), ...files],
			],
			{ env: { ...process.env, N8N_USER_FOLDER: folder }, maxBuffer: 2 ** 26 },
		);
		return JSON.parse(stdout.slice(stdout.lastIndexOf('\n') + 1)) as Report;
	}

	function testsIn(part: string): string[] {
		const dir = join(root, 'test', 'engine', part);
		return readdirSync(dir, { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.test.ts') && !file.includes('wild'))
			.map((file) => join(dir, file))
			.filter((file) => !SHORTENED.test(readFileSync(file, 'utf8')));
	}

	it.each(TESTS)('the tests of %s pass without writing or starting anything', async (part) => {
		const files = testsIn(part);

		const { rights, results } = await play([root, folder], files);

		expect(rights).toEqual([]);
		expect(results.flatMap(({ failures }) => failures)).toEqual([]);
		expect(results.map(({ file }) => file)).toEqual(files);
		expect(results.filter(({ tests }) => tests === 0)).toEqual([]);
	});

	it('what is read of the package is its own folder, and without that nothing is loaded', async () => {
		const n8n = ['node_modules', '.n8n'].map((name) => join(folder, name));
		const files = [join(root, 'test', 'engine', 'nodes', 'AgentLeads', 'filters.test.ts')];

		await expect(play([root, ...n8n], files)).rejects.toThrow('ERR_ACCESS_DENIED');
	});
});
