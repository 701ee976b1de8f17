// @ts-check
const { join } = require('node:path');

const { build } = require('esbuild');

const root = join(__dirname, '..');

/** The globals of a browser, the global object under all its names included. */
const GLOBALS = {
	globalThis: 'host',
	global: 'host',
	self: 'host',
	window: 'host',
	navigator: 'host.navigator',
	setTimeout: 'host.setTimeout',
	'process.env.NODE_ENV': '"production"',
};

/**
 * Bundles OpenPGP.js into a file of its own. It is the library's build for browsers, which needs no
 * module of Node's; host.js is what it gets of its surroundings.
 *
 * @param {string} outfile
 */
async function bundleOpenpgp(outfile) {
	const { metafile } = await build({
		entryPoints: [join(__dirname, 'openpgp.ts')],
		outfile,
		bundle: true,
		minify: true,
		format: 'cjs',
		platform: 'browser',
		target: 'node20',
		alias: { openpgp: join(root, 'node_modules', 'openpgp', 'dist', 'openpgp.mjs') },
		external: ['node:crypto'],
		inject: [join(__dirname, 'host.js')],
		define: GLOBALS,
		drop: ['console', 'debugger'],
		legalComments: 'eof',
		banner: { js: '/*! See README.txt beside this file for its licence and its source. */' },
		metafile: true,
		logLevel: 'warning',
	});
	const strangers = Object.keys(metafile.inputs).filter(
		(file) =>
			file.includes('node_modules') && !file.endsWith('node_modules/openpgp/dist/openpgp.mjs'),
	);
	if (strangers.length > 0)
		throw new Error(
			`The bundle holds ${strangers.join(', ')}: billOfMaterials.js does not list it`,
		);
}

module.exports = { bundleOpenpgp };
