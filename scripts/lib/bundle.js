// @ts-check
const { readFile } = require('node:fs/promises');
const { dirname, join, relative, sep } = require('node:path');

const { build } = require('esbuild');
const { minify } = require('terser');
const ts = require('typescript');

const { CODE, promised } = require('./code');

const root = join(__dirname, '../..');

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

/**
 * The output schemas stay where n8n's editor looks for them; the script reads them there.
 *
 * @type {import('esbuild').Plugin}
 */
const besideSchemas = {
	name: 'beside the output schemas',
	setup: ({ onResolve }) =>
		onResolve({ filter: /\/__schema__\/.*\.json$/ }, ({ resolveDir, path }) => {
			const published = join('dist', relative(root, join(resolveDir, path)));
			return { path: relative(dirname(CODE), published).split(sep).join('/'), external: true };
		}),
};

/**
 * Makes `CODE`, without a library: one that is not told to be external would come without its licence.
 *
 * @returns {Promise<string>} the script
 */
async function bundleCode() {
	const { metafile, outputFiles } = await build({
		stdin: {
			contents: promised
				.map((file) => file.replace(/^dist\/(.*)\.js$/, "export * from './$1';"))
				.join('\n'),
			resolveDir: root,
		},
		write: false,
		bundle: true,
		format: 'cjs',
		platform: 'node',
		target: 'node20',
		plugins: [withoutComments, besideOpenpgp, besideSchemas],
		external: ['n8n-workflow', 'lodash', 'luxon'],
		// n8n loads CommonJS; an import() of a script without an extension would fail there.
		supported: { 'dynamic-import': false },
		minifySyntax: true,
		charset: 'utf8',
		metafile: true,
		legalComments: 'none',
		logLevel: 'warning',
	});
	const foreign = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
	if (foreign.length > 0)
		throw new Error(`${CODE} holds ${foreign.join(', ')}: add it to "external"`);
	return await withShortLocals(outputFiles.map(({ text }) => text).join(''));
}

/**
 * Functions and classes keep their names, for whoever reads a stack; what is called otherwise is known inside one
 * function alone. With the indentation, that is a fifth of what is packed.
 *
 * @param {string} script
 */
async function withShortLocals(script) {
	const { code } = await minify(script, {
		compress: false,
		mangle: { toplevel: false, keep_fnames: true, keep_classnames: true },
	});
	if (code === undefined) throw new Error(`${CODE} would be empty`);
	return code;
}

module.exports = { bundleCode };
