// @ts-check
// node scripts/sizes.mjs: how large the parts of this repository are, in lines that are neither blank nor comment. It ends
// with an error if a class of the product is too long; ESLint holds the sizes of files and functions.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './lib/paths.mjs';
import { Failure, main } from './lib/run.mjs';

const MOST_IN_CLASS = 170;

await main(async () => {
	const product = files('service', 'nodes', 'credentials');
	const tests = files('test');
	const isTest = (/** @type {string} */ file) => file.endsWith('.test.ts');
	const classes = product.flatMap(classesIn).sort(([, a], [, b]) => b - a);
	console.table({
		'service/': sum(files('service')),
		'nodes/': sum(files('nodes')),
		product: sum(product),
		tests: sum(tests.filter(isTest)),
		lab: sum(tests.filter((file) => !isTest(file))),
		'bench, soak, scripts': sum(files('bench', 'soak', 'scripts')),
		'files of the product': product.length,
		'longest file': Math.max(...product.map((file) => sum([file]))),
		'longest class': classes[0]?.[1],
	});
	const long = classes.filter(([, lines]) => lines > MOST_IN_CLASS);
	if (long.length > 0)
		throw new Failure(`A class has ${MOST_IN_CLASS} lines at most: ${long.join('; ')}`);
});

/** @param {string[]} folders */
function files(...folders) {
	const names = execFileSync('git', ['ls-files', ...folders], { cwd: root, encoding: 'utf8' });
	return names.split('\n').filter((file) => /\.(ts|js|mjs|cjs)$/.test(file));
}

/** @param {string[]} paths */
function sum(paths) {
	return paths.reduce((total, path) => total + codeLines(textOf(path)), 0);
}

/**
 * @param {string} path
 * @returns {Array<[string, number]>} the name of each class, and how long it is
 */
function classesIn(path) {
	const classes = textOf(path).matchAll(/^(?:export )?(?:abstract )?class (\w+)[\s\S]*?^\}$/gm);
	return [...classes].map(([text, name]) => [`${path}: ${name}`, codeLines(text)]);
}

/** @param {string} path */
function textOf(path) {
	return readFileSync(join(root, path), 'utf8');
}

/** @param {string} text */
function codeLines(text) {
	const code = text.replace(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '').split('\n');
	return code.filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}
