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
 * The libraries that the package brings along, by the file that holds them: a bundle of its own for each, which is loaded
 * when it is needed first. billOfMaterials.js lists them.
 */
const LIBRARIES = new Map([
	['openpgp', ['openpgp']],
	['html', ['entities', 'html-tag-names', 'htmlparser2']],
]);

/** Of OpenPGP.js the build for browsers, which needs no module of Node's; of the others, the one file that is needed. */
const ALIAS = {
	openpgp: join(root, 'node_modules/openpgp/dist/openpgp.mjs'),
	'htmlparser2/dist/commonjs/Tokenizer': join(
		root,
		'node_modules/htmlparser2/dist/esm/Tokenizer.js',
	),
};

/**
 * Bundles the libraries of a file; host.js is what they get of their surroundings.
 *
 * @param {string} name
 * @param {string} outfile
 */
async function bundleLibrary(name, outfile) {
	const { metafile } = await build({
		entryPoints: [join(__dirname, `${name}.ts`)],
		outfile,
		bundle: true,
		minify: true,
		format: 'cjs',
		platform: 'browser',
		target: 'node20',
		alias: ALIAS,
		external: ['node:crypto'],
		inject: [join(__dirname, 'host.js')],
		define: GLOBALS,
		drop: ['console', 'debugger'],
		legalComments: 'eof',
		banner: { js: '/*! See README.txt beside this file for its licence and its source. */' },
		metafile: true,
		logLevel: 'warning',
	});
	const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
	const strangers = used
		.filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && file.includes('node_modules'))
		.map(([file]) => file)
		.filter((file) => !LIBRARIES.get(name)?.some((each) => file.includes(`node_modules/${each}/`)));
	if (strangers.length > 0)
		throw new Error(
			`The bundle holds ${strangers.join(', ')}: billOfMaterials.js does not list it`,
		);
}

module.exports = { ALIAS, LIBRARIES, bundleLibrary };
