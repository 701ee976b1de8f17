// @ts-check
const { readFile } = require('node:fs/promises');
const { join } = require('node:path');

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

/** The libraries for HTML, beside the folder of the script with our code. */
const HTML = '../vendor/html';

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
 * A function of lodash, which is up to a hundred files, is loaded when it is called first, and so are the libraries for
 * HTML.
 *
 * @type {import('esbuild').Plugin}
 */
const loadedLate = {
	name: 'libraries that are loaded when they are needed',
	setup: ({ onResolve, onLoad }) => {
		const namespace = 'library';
		onResolve({ filter: /^lodash\/\w+$|\/vendor\/html$/ }, ({ path, ...importer }) => {
			if (importer.namespace === namespace) return { path, external: true };
			return { path: path.endsWith('/vendor/html') ? HTML : path, namespace };
		});
		onLoad({ filter: /.*/, namespace }, ({ path }) => ({
			contents: `let loaded; export default (...given) => (loaded ??= require('${path}')${path === HTML ? '.default' : ''})(...given);`,
			resolveDir: root,
		}));
	},
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
		plugins: [withoutComments, besideOpenpgp, loadedLate],
		external: ['n8n-workflow', 'lodash', 'luxon'],
		// n8n loads CommonJS; an import() of a script without an extension would fail there.
		supported: { 'dynamic-import': false },
		minifySyntax: true,
		metafile: true,
		legalComments: 'none',
		logLevel: 'warning',
	});
	const foreign = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
	if (foreign.length > 0)
		throw new Error(`${CODE} holds ${foreign.join(', ')}: add it to "external"`);
	return await shortened(outputFiles.map(({ text }) => text).join(''));
}

/**
 * Functions and classes keep their names, for whoever reads a stack. What is called otherwise has short names, and what
 * is known beforehand is not computed as the package loads: with the indentation, a quarter of what is packed.
 *
 * @param {string} script
 */
async function shortened(script) {
	const kept = { toplevel: true, keep_fnames: true, keep_classnames: true };
	const { code } = await minify(script, {
		ecma: 2020,
		// No getter of ours or of a library does anything but answer.
		compress: { ...kept, passes: 3, pure_getters: true },
		mangle: { ...kept, reserved: classesIn(script) },
		// What is beyond ASCII makes V8 hold and read all of the script at twice its size.
		format: { ascii_only: true },
	});
	if (code === undefined) throw new Error(`${CODE} would be empty`);
	return code;
}

/**
 * esbuild makes constants of classes, which are called as the constant is.
 *
 * @param {string} script
 */
function classesIn(script) {
	return Array.from(script.matchAll(/(\w+) = class /g), ([, name = '']) => name);
}

module.exports = { bundleCode };
