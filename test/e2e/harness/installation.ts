import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE_NAME = 'n8n-nodes-agent-integration';

const root = findRoot(__dirname);
const modules = join(root, 'test', 'e2e', 'node_modules');

export const n8nBin = join(modules, 'n8n', 'bin', 'n8n');
export const guard = join(root, 'test', 'e2e', 'harness', 'die-with-parent.js');

/** The Node that n8n's native modules were built for. */
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

/**
 * Puts the package where n8n keeps community packages, in the steps of n8n's own installer: unpack, drop the
 * dependencies that a user does not get, note the package in the ledger. n8n loads what lies in this folder; its
 * table of installed packages only feeds the page in the settings.
 * @param userFolder the folder that holds `.n8n`
 */
export function installPackage(userFolder: string, tarball: string): void {
	const nodes = join(userFolder, '.n8n', 'nodes');
	const dir = join(nodes, 'node_modules', PACKAGE_NAME);
	rmSync(dir, { recursive: true, force: true });
	mkdirSync(dir, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);

	const manifest = readJson(join(dir, 'package.json'));
	for (const key of ['devDependencies', 'peerDependencies', 'optionalDependencies'])
		delete manifest[key];
	writeJson(join(dir, 'package.json'), manifest);
	writeJson(join(nodes, 'package.json'), {
		name: 'installed-nodes',
		private: true,
		dependencies: { [PACKAGE_NAME]: manifest.version },
	});
}

function readJson(path: string): Record<string, unknown> {
	return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
}

function writeJson(path: string, value: unknown): void {
	writeFileSync(path, JSON.stringify(value, null, 2));
}

/** The harness also runs compiled, from another folder, for npm start. */
function findRoot(dir: string): string {
	const file = join(dir, 'package.json');
	if (existsSync(file) && readJson(file).name === PACKAGE_NAME) return dir;
	if (dirname(dir) === dir) throw new Error('The harness must lie inside the repository');
	return findRoot(dirname(dir));
}
