import { execFileSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import attempt from 'lodash/attempt';

import { root } from '../paths';

export const PACKAGE_NAME = 'n8n-nodes-agent-integration';

/** The node_modules of the n8n of the end-to-end tests. */
export const DEFAULT_N8N = join(root, 'test', 'e2e', 'node_modules');
export const guard = join(root, 'test', 'lab', 'n8n', 'die-with-parent.js');

/**
 * The script that starts n8n.
 * @param n8nModules the node_modules that n8n lies in
 */
export function n8nBin(n8nModules: string): string {
	return join(n8nModules, 'n8n', 'bin', 'n8n');
}

/** The Node that n8n's native modules were built for, whichever version of n8n. */
export function nodeForN8n(): string {
	const record = join(DEFAULT_N8N, '.node-for-n8n');
	if (!existsSync(record))
		throw new Error('n8n is not installed. Run: node scripts/ensure-install.mjs');
	return readFileSync(record, 'utf8');
}

/**
 * A temporary folder for n8n, with an empty database. n8n takes seconds to bring a new database up to date, so it does that once for
 * all tests.
 */
export function newUserFolder(n8nModules = DEFAULT_N8N): string {
	const { version } = JSON.parse(readFileSync(join(n8nModules, 'n8n', 'package.json'), 'utf8')) as {
		version: string;
	};
	const empty = join(root, '.tmp', `database-${version}`);
	if (!existsSync(empty)) {
		const folder = mkdtempSync(join(root, '.tmp', 'database-'));
		const env = {
			PATH: process.env.PATH,
			N8N_USER_FOLDER: folder,
			N8N_DIAGNOSTICS_ENABLED: 'false',
		};
		const command = [n8nBin(n8nModules), 'list:workflow'];
		execFileSync(nodeForN8n(), command, { cwd: folder, env, stdio: 'pipe' });
		// The key of this folder is no other folder's.
		rmSync(join(folder, '.n8n', 'config'));
		// Another worker of the test runner may have been faster.
		attempt(renameSync, folder, empty);
		rmSync(folder, { recursive: true, force: true });
	}
	const folder = mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
	cpSync(empty, folder, { recursive: true });
	return folder;
}

/** The package as `npm pack` made it. */
export function defaultTarball(): string {
	const tarball = join(root, '.tmp', 'package.tgz');
	if (!existsSync(tarball))
		throw new Error('There is no package to test. Run: npm test -- --only e2e');
	return tarball;
}

/**
 * Unpacks the package where n8n keeps community packages, as n8n's own installer does, which itself can fetch from the
 * public registry only. There is nothing to install beside it: the package has no dependencies. n8n loads what lies in
 * this folder; its table of installed packages only feeds the page in the settings.
 * @param userFolder the folder that holds `.n8n`
 */
export function installPackage(userFolder: string, tarball: string): void {
	const dir = join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);
}
