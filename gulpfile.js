// @ts-check
const { dest, parallel, src } = require('gulp');

const { bundleOpenpgp } = require('./vendor/bundle');

/** What a node needs beside its code: icons for nodes and credentials, codex files, output schemas. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const nodeFiles = () =>
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' }).pipe(dest('dist'));

/** OpenPGP.js, in place of the script that would look for it among the dependencies. */
const openpgp = () => bundleOpenpgp('dist/vendor/openpgp.js');
const licences = () =>
	src(['node_modules/openpgp/LICENSE', 'vendor/*.txt']).pipe(dest('dist/vendor'));

exports.build = parallel(icons, nodeFiles, openpgp, licences);
