// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join, sep } from 'node:path';

import { manifest, root, tarball, tmp } from './lib/paths.mjs';
import { Failure, isEntryPoint, main } from './lib/run.mjs';

const DOCUMENTS = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

/** The bundled library, and what its licence wants beside it: the licence, and where its source is. */
const OPENPGP = ['openpgp.js', 'LICENSE', 'GPL-3.0.txt', 'README.txt'].map(
	(file) => `dist/vendor/${file}`,
);

/** All code but the library's. */
const CODE = 'dist/lib/index.js';

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
	assertExact(files);
	assertSelfContained(files);
	assertLibraryApart();
	assertSourceNamed();
	renameSync(join(tmp, packed.filename), tarball);
	console.log(
		`${packed.filename}: ${files.length} files, ${(packed.size / 1000).toFixed(1)} kB packed`,
	);
}

/**
 * The files of the package are those that follow from the sources, no more and no fewer.
 * @param {string[]} files
 */
function assertExact(files) {
	const expected = expectedFiles();
	const missing = expected.filter((file) => !files.includes(file));
	const strays = files.filter((file) => !expected.includes(file));
	if (missing.length > 0)
		throw new Failure(
			`The package lacks ${missing.join(', ')}. Check "files" and "n8n" in package.json, and run: npm run build`,
		);
	if (strays.length > 0)
		throw new Failure(`The package holds files that no user needs: ${strays.join(', ')}.`);
}

/** What package.json promises n8n, the code behind it, what nodes have beside their code, and the bundled library. */
function expectedFiles() {
	const { nodes, credentials } = manifest().n8n;
	const beside = ['icons', 'nodes'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => /\.(json|svg)$/.test(file))
			.map((file) => `dist/${folder}/${file.split(sep).join('/')}`),
	);
	return [...DOCUMENTS, ...nodes, ...credentials, CODE, ...beside, ...OPENPGP];
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

/** OpenPGP.js is loaded from its own file: only where a secret needs it, and its licence lets a user replace it. */
function assertLibraryApart() {
	if (!/\brequire\(["']\.\.\/vendor\/openpgp["']\)/.test(readFileSync(join(root, CODE), 'utf8')))
		throw new Failure(
			`${CODE} does not load dist/vendor/openpgp.js. Check "external" in gulpfile.js and the path in service/decryption.ts.`,
		);
}

/** The licence of the bundled library wants its source named: that of the version which was bundled. */
function assertSourceNamed() {
	const read = (/** @type {string} */ file) => readFileSync(join(root, file), 'utf8');
	const { version } = JSON.parse(read('node_modules/openpgp/package.json'));
	if (!read('dist/vendor/README.txt').includes(`openpgp@${version}`))
		throw new Failure(`vendor/README.txt names another version of OpenPGP.js than ${version}.`);
}

if (isEntryPoint(import.meta.url)) await main(pack);
