// @ts-check
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

import { build } from './build.mjs';
import { ensureRoot } from './ensure-install.mjs';
import { CODE } from './lib/code.js';
import { manifest, root, tarball, tmp } from './lib/paths.mjs';
import { Failure, isEntryPoint, main } from './lib/run.mjs';

const DOCUMENTS = ['package.json', 'README.md', 'LICENSE'];

/** The bundled libraries, which are loaded only where they are needed. */
const LIBRARIES = ['dist/vendor/openpgp.js', 'dist/vendor/html.js'];

/** What their licences want beside them: the licences, and where the source is. */
const LICENCES = ['LICENSE', 'LICENSE.html.txt', 'GPL-3.0.txt', 'README.txt'].map(
	(file) => `dist/vendor/${file}`,
);

/** What is bundled, for programs: vendor/billOfMaterials.js makes it. */
const BILL = 'dist/sbom.cdx.json';

/** What n8n has and lets a node use. */
const FROM_N8N = /^(n8n-workflow|luxon|lodash\/\w+|node:crypto)$/;

/** Packs what `npm publish` would publish, and checks that it is what a user needs and nothing else. */
export async function pack() {
	mkdirSync(tmp, { recursive: true });
	const expected = expectedFiles();
	makeReadable(expected);
	const output = execFileSync('npm', ['pack', '--json', '--pack-destination', tmp], {
		cwd: root,
		encoding: 'utf8',
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	/** @type {{ filename: string, size: number, files: Array<{ path: string }> }} */
	const packed = JSON.parse(output)[0];
	const files = packed.files.map((file) => file.path);
	assertExact(files, expected);
	assertSelfContained(files);
	renameSync(join(tmp, packed.filename), tarball);
	console.log(
		`${packed.filename}: ${files.length} files, ${(packed.size / 1000).toFixed(1)} kB packed`,
	);
}

/**
 * Npm packs the permissions of a file, and those depend on the umask of whoever cloned the sources: the same sources have
 * to make the same package.
 * @param {string[]} files
 */
function makeReadable(files) {
	for (const file of files.map((each) => join(root, each)).filter((each) => existsSync(each)))
		chmodSync(file, 0o644);
}

/**
 * The files of the package are those that follow from the sources, no more and no fewer.
 * @param {string[]} files
 * @param {string[]} expected
 */
function assertExact(files, expected) {
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
	const codex = nodes.map((file) => file.replace(/\.js$/, '.json'));
	const beside = ['icons', 'nodes'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => /\.(json|svg)$/.test(file))
			.map((file) => `dist/${folder}/${file.split(sep).join('/')}`),
	);
	return [
		...new Set([
			...DOCUMENTS,
			...nodes,
			...codex,
			...credentials,
			CODE,
			...beside,
			...LIBRARIES,
			...LICENCES,
			BILL,
		]),
	];
}

/**
 * A script that asks for a module which a user does not get would fail only when it is needed; one that holds a library
 * would bring it without its licence. The bundled libraries are asked for where they lie: in files of their own, which are
 * loaded only where they are needed and which a user may replace.
 * @param {string[]} files
 */
function assertSelfContained(files) {
	const wanted = files
		.filter((file) => file.endsWith('.js'))
		.flatMap((file) => modulesOf(file).map((module) => ({ file, module })));
	const missing = wanted.filter(({ module }) => !FROM_N8N.test(module) && !files.includes(module));
	if (missing.length > 0)
		throw new Failure(
			`The package asks for modules that it may not load, or that are not in it: ${missing.map(({ file, module }) => `${module} in ${file}`).join(', ')}. If they belong in it, check "external" in scripts/lib/bundle.js.`,
		);
	for (const library of LIBRARIES)
		if (!wanted.some(({ file, module }) => file === CODE && module === library))
			throw new Failure(
				`${CODE} does not load ${library}. Check "external" in scripts/lib/bundle.js.`,
			);
}

/**
 * What a script asks for: a file of the package by its path in it, any other module by its name.
 * @param {string} file
 */
function modulesOf(file) {
	const text = readFileSync(join(root, file), 'utf8');
	return [...text.matchAll(/\brequire\(["']([^"']+)["']\)/g)].map(([, name = '']) => {
		if (!name.startsWith('.')) return name;
		const path = posix.join(posix.dirname(file), name);
		return /\.js(on)?$/.test(path) ? path : `${path}.js`;
	});
}

/** Makes the package from the sources, in a folder in which nothing is installed yet as well. */
async function packSources() {
	await ensureRoot();
	await build();
	await pack();
	console.log(`The package is ${tarball}`);
}

if (isEntryPoint(import.meta.url)) await main(packSources);
