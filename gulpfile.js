// @ts-check
const { mkdir, readFile, writeFile } = require('node:fs/promises');
const { basename, dirname, join, posix } = require('node:path');
const { Transform } = require('node:stream');

const { dest, parallel, src } = require('gulp');

const { bundleCode } = require('./scripts/lib/bundle');
const { CODE, promised } = require('./scripts/lib/code');
const { billOfMaterials } = require('./vendor/billOfMaterials');
const { bundleLibrary, LIBRARIES } = require('./vendor/bundle');

/** The script with all of our code. */
const code = async () => {
	await mkdir(join(__dirname, dirname(CODE)), { recursive: true });
	await writeFile(join(__dirname, CODE), await bundleCode());
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
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' })
		.pipe(withoutIndentation())
		.pipe(dest('dist'));

const withoutIndentation = () =>
	new Transform({
		objectMode: true,
		transform: (file, _encoding, done) => {
			file.contents = Buffer.from(JSON.stringify(JSON.parse(String(file.contents))));
			done(null, file);
		},
	});

/** The libraries, in place of the scripts that would look for them among the dependencies; and what they consist of. */
const libraries = async () => {
	for (const name of LIBRARIES.keys()) await bundleLibrary(name, `dist/vendor/${name}.js`);
	await writeFile('dist/sbom.cdx.json', billOfMaterials('dist/vendor'));
};
const licences = () =>
	src(['node_modules/openpgp/LICENSE', 'vendor/*.txt']).pipe(dest('dist/vendor'));
/** Whoever passes on the libraries for HTML has to pass on their licences. */
const licencesOfHtml = async () => {
	const files = ['entities/LICENSE', 'html-tag-names/license', 'htmlparser2/LICENSE'];
	const texts = files.map(async (file) => [file, await readFile(`node_modules/${file}`, 'utf8')]);
	await mkdir('dist/vendor', { recursive: true });
	await writeFile('dist/vendor/LICENSE.html.txt', (await Promise.all(texts)).flat().join('\n\n'));
};

exports.build = parallel(code, entries, icons, nodeFiles, libraries, licences, licencesOfHtml);
