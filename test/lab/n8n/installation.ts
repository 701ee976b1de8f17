import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../paths';

export const PACKAGE_NAME = 'n8n-nodes-agent-integration';

const modules = join(root, 'test', 'e2e', 'node_modules');

/** The n8n of the end-to-end tests. */
export const DEFAULT_N8N = modules;
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
	const record = join(modules, '.node-for-n8n');
	if (!existsSync(record))
		throw new Error('n8n is not installed. Run: node scripts/ensure-install.mjs');
	return readFileSync(record, 'utf8');
}

/** The package as `npm pack` made it. */
export function defaultTarball(): string {
	const tarball = join(root, '.tmp', 'package.tgz');
	if (!existsSync(tarball))
		throw new Error('There is no package to test. Run: npm test -- --only e2e');
	return tarball;
}

/** n8n's options for the install in the folder of a community package. */
const NPM_INSTALL = [
	'install',
	'--audit=false',
	'--fund=false',
	'--bin-links=false',
	'--install-strategy=shallow',
	'--ignore-scripts=true',
	'--package-lock=false',
];

/**
 * Puts the package where n8n keeps community packages, in the steps of n8n's own installer, which itself can fetch
 * from the public registry only: unpack, drop the dependencies that a user does not get, install the others, note the
 * package in the ledger. n8n loads what lies in this folder; its table of installed packages only feeds the page in the
 * settings.
 * @param userFolder the folder that holds `.n8n`
 */
export function installPackage(userFolder: string, tarball: string): void {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const dir = packageFolder(userFolder);
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);

	const manifest = readJson(join(dir, 'package.json'));
	for (const key of ['devDependencies', 'peerDependencies', 'optionalDependencies'])
		delete manifest[key];
	writeJson(join(dir, 'package.json'), manifest);
	execFileSync('npm', NPM_INSTALL, { cwd: dir, stdio: 'pipe' });
	writeJson(join(nodes, 'package.json'), {
		name: 'installed-nodes',
		private: true,
		dependencies: { [PACKAGE_NAME]: manifest.version },
	});
}

/** Where n8n keeps this package once it is installed. */
export function packageFolder(userFolder: string): string {
	return join(userFolder, '.n8n', 'nodes', 'node_modules', PACKAGE_NAME);
}

function readJson(path: string): Record<string, unknown> {
	return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

function writeJson(path: string, value: unknown): void {
	writeFileSync(path, JSON.stringify(value, null, 2));
}
