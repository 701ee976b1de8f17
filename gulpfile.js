// @ts-check
const { mkdir, readFile, writeFile } = require('node:fs/promises');
const { basename, dirname, join, posix } = require('node:path');

const { build } = require('esbuild');
const { dest, parallel, src } = require('gulp');
const ts = require('typescript');

const { bundleOpenpgp } = require('./vendor/bundle');
const { n8n } = require('./package.json');

/**
 * All of our code in one script, which n8n loads in half the time that 70 take. It is for people to read as
 * well: nothing is minified.
 */
const CODE = 'dist/lib/index.js';

/** The files that package.json promises n8n: each a node or a credential. */
const promised = [...n8n.credentials, ...n8n.nodes];

/**
 * esbuild keeps some comments, which then are a tenth of the script; TypeScript can leave all of them out.
 *
 * @type {import('esbuild').Plugin}
 */
const withoutComments = {
	name: 'without comments',
	setup: ({ onLoad }) =>
		onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
			contents: ts.transpileModule(await readFile(path, 'utf8'), {
				compilerOptions: {
					target: ts.ScriptTarget.ES2022,
					module: ts.ModuleKind.ES2022,
					removeComments: true,
				},
			}).outputText,
		})),
};

/**
 * OpenPGP.js stays a script of its own, beside the folder of the one with our code.
 *
 * @type {import('esbuild').Plugin}
 */
const besideOpenpgp = {
	name: 'beside OpenPGP.js',
	setup: ({ onResolve }) =>
		onResolve({ filter: /\/vendor\/openpgp$/ }, () => ({
			path: '../vendor/openpgp',
			external: true,
		})),
};

/** Without a library: one that is not told to be external would come without its licence. */
const code = async () => {
	const { metafile } = await build({
		stdin: {
			contents: promised
				.map((file) => file.replace(/^dist\/(.*)\.js$/, "export * from './$1';"))
				.join('\n'),
			resolveDir: __dirname,
		},
		outfile: CODE,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		plugins: [withoutComments, besideOpenpgp],
		external: ['n8n-workflow', 'lodash', 'luxon'],
		// n8n loads CommonJS; an import() of a script without an extension would fail there.
		supported: { 'dynamic-import': false },
		charset: 'utf8',
		metafile: true,
		legalComments: 'none',
		logLevel: 'warning',
	});
	const foreign = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
	if (foreign.length > 0)
		throw new Error(`${CODE} holds ${foreign.join(', ')}: add it to "external"`);
};

/** Where n8n looks for a node or a credential: a script with its class, taken from the one with the code. */
const entries = async () => {
	for (const file of promised) {
		const name = basename(file).split('.')[0];
		const path = posix.relative(posix.dirname(file), CODE);
		await mkdir(join(__dirname, dirname(file)), { recursive: true });
		await writeFile(
			join(__dirname, file),
			`'use strict';\n\nexports.${name} = require('${path}').${name};\n`,
		);
	}
};

/** What a node needs beside its code: icons for nodes and credentials, codex files, output schemas. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const nodeFiles = () =>
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' }).pipe(dest('dist'));

/** OpenPGP.js, in place of the script that would look for it among the dependencies. */
const openpgp = () => bundleOpenpgp('dist/vendor/openpgp.js');
const licences = () =>
	src(['node_modules/openpgp/LICENSE', 'vendor/*.txt']).pipe(dest('dist/vendor'));

exports.build = parallel(code, entries, icons, nodeFiles, openpgp, licences);
