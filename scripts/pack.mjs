// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

import { manifest, root, tarball, tmp } from './lib/paths.mjs';
import { Failure, isEntryPoint, main } from './lib/run.mjs';

const DOCUMENTS = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

/** The bundled library, and what its licence wants beside it: the licence, and where its source is. */
const OPENPGP = ['openpgp.js', 'LICENSE', 'GPL-3.0.txt', 'README.txt'].map(
	(file) => `dist/vendor/${file}`,
);

/** What is taken as it is from a devDependency, by its place in the package. */
const FROM_DEPENDENCIES = { 'dist/vendor/LICENSE': 'node_modules/openpgp/LICENSE' };

/** Packs what `npm publish` would publish, and checks that it is what a user needs and nothing else. */
export async function pack() {
	mkdirSync(tmp, { recursive: true });
	const output = execFileSync('npm', ['pack', '--json', '--pack-destination', tmp], {
		cwd: root,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	/** @type {{ filename: string, size: number, files: Array<{ path: string }> }} */
	const packed = JSON.parse(output)[0];
	const files = packed.files.map((file) => file.path);
	assertComplete(files);
	assertNothingElse(files);
	assertSelfContained(files);
	assertSourceNamed();
	renameSync(join(tmp, packed.filename), tarball);
	console.log(
		`${packed.filename}: ${files.length} files, ${(packed.size / 1000).toFixed(1)} kB packed`,
	);
}

/** @param {string[]} files */
function assertComplete(files) {
	const { nodes, credentials } = manifest().n8n;
	const codex = nodes.map((file) => file.replace(/\.js$/, '.json'));
	const missing = [...DOCUMENTS, ...nodes, ...codex, ...credentials, ...OPENPGP].filter(
		(file) => !files.includes(file),
	);
	if (missing.length > 0)
		throw new Failure(
			`The package lacks ${missing.join(', ')}. Check "files" and "n8n" in package.json, and run: npm run build`,
		);
}

/** @param {string[]} files */
function assertNothingElse(files) {
	const strays = files.filter((file) => !DOCUMENTS.includes(file) && !isBuilt(file));
	if (strays.length > 0)
		throw new Failure(`The package holds files that no user needs: ${strays.join(', ')}.`);
}

/**
 * Everything in dist comes from a file of the same name in the sources, a script from TypeScript and the rest as it is,
 * but for what a devDependency brings.
 * @param {string} file
 */
function isBuilt(file) {
	if (!file.startsWith('dist/') || /\.(ts|map|tsbuildinfo)$/.test(file)) return false;
	if (file in FROM_DEPENDENCIES) return true;
	const source = join(root, file.slice('dist/'.length).replace(/\.js$/, '.ts'));
	return existsSync(source);
}

/**
 * A script that asks for a module which a user does not get would fail only when it is needed.
 * @param {string[]} files
 */
function assertSelfContained(files) {
	const wanting = files.filter((file) => {
		const isScript = /^dist\/.*\.js$/.test(file);
		return isScript && /\brequire\(["']openpgp/.test(readFileSync(join(root, file), 'utf8'));
	});
	if (wanting.length > 0)
		throw new Failure(`OpenPGP.js is not bundled into ${wanting.join(', ')}. Run: npm run build`);
}

/** The licence of the bundled library wants its source named: that of the version which was bundled. */
function assertSourceNamed() {
	const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8');
	const { version } = JSON.parse(read('node_modules/openpgp/package.json'));
	if (!read('dist/vendor/README.txt').includes(`openpgp@${version}`))
		throw new Failure(`vendor/README.txt names another version of OpenPGP.js than ${version}.`);
}

if (isEntryPoint(import.meta.url)) await main(pack);
