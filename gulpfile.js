// @ts-check
const { dest, parallel, src } = require('gulp');

/** What a node needs beside its code: icons for nodes and credentials, codex files, output schemas. */
const icons = () => src('icons/*.svg', { encoding: false }).pipe(dest('dist/icons'));
const nodeFiles = () =>
	src(['nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'], { base: '.' }).pipe(dest('dist'));

exports.build = parallel(icons, nodeFiles);
