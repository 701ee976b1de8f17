// @ts-check
// Runs the check that n8n runs on a published package: once on the sources, once on the unpacked package.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import glob from 'fast-glob';

import { manifest, root, tarball, tmp } from '../lib/paths.mjs';
import { Failure, main } from '../lib/run.mjs';

const PACKAGE_FILE_PATTERNS = ['**/*.js', 'package.json'];
const workDir = join(tmp, 'scan');

await main(async () => {
	rmSync(workDir, { recursive: true, force: true });
	await assertThatTheScanFinds();

	const { nodes, credentials } = manifest().n8n;
	const published = [...nodes, ...credentials];
	const sources = published.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts'));
	await scan('sources', root, SOURCE_FILE_PATTERNS, ['package.json', ...sources]);
	await scan('package', unpack(), PACKAGE_FILE_PATTERNS, ['package.json', ...published]);
});

/**
 * @param {string} what
 * @param {string} dir
 * @param {string[]} patterns
 * @param {string[]} expected files that the scan must have seen
 */
async function scan(what, dir, patterns, expected) {
	const { files, findings } = await lint(dir, patterns);
	const unseen = expected.filter((file) => !files.includes(file));
	if (unseen.length > 0)
		throw new Failure(`n8n's scanner did not see ${unseen.join(', ')} in the ${what}.`);

	const verdict = await analyzePackage(dir, patterns);
	if (!verdict.passed || findings.length > 0)
		throw new Failure(
			`n8n's scanner objects to the ${what}:\n${[...findings, verdict.passed ? '' : verdict.message].join('\n')}`,
		);
	console.log(`${what}: ${files.length} files, nothing found`);
}

/**
 * The scanner's own pass or fail counts errors only, and passes when it finds no file or ignores one. This one lists
 * every message, warnings and "file ignored" included, and the files that were looked at.
 * @param {string} dir
 * @param {string[]} patterns
 */
async function lint(dir, patterns) {
	const eslint = new ESLint({
		cwd: dir,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const paths = glob.sync(patterns, { cwd: dir, absolute: true, ignore: ['node_modules/**'] });
	const results = paths.length > 0 ? await eslint.lintFiles(paths) : [];
	const findings = results.flatMap((result) =>
		result.messages.map(
			(message) =>
				`${relative(dir, result.filePath)}:${message.line ?? 1} ${message.message} (${message.ruleId ?? 'no rule'})`,
		),
	);
	return { files: results.map((result) => relative(dir, result.filePath)), findings };
}

/** A scan that cannot fail proves nothing: it must find what is wrong with this package, in both forms. */
async function assertThatTheScanFinds() {
	const dir = join(workDir, 'bad');
	const bad = {
		'package.json': '{ "name": "n8n-nodes-bad", "version": "1.0.0", "n8n": { "nodes": [] } }',
		'nodes/Bad/Bad.node.ts':
			"import fs from 'fs';\nexport const read = () => fs.readdirSync('/');\n",
		'dist/nodes/Bad/Bad.node.js': "setTimeout(() => console.log('late'), 1000);\n",
	};
	for (const [path, text] of Object.entries(bad)) {
		mkdirSync(dirname(join(dir, path)), { recursive: true });
		writeFileSync(join(dir, path), text);
	}
	await assertFound(dir, SOURCE_FILE_PATTERNS, ['package.json:', 'nodes/Bad/Bad.node.ts:']);
	await assertFound(dir, PACKAGE_FILE_PATTERNS, ['package.json:', 'dist/nodes/Bad/Bad.node.js:']);
}

/**
 * @param {string} dir
 * @param {string[]} patterns
 * @param {string[]} places
 */
async function assertFound(dir, patterns, places) {
	const { findings } = await lint(dir, patterns);
	const missed = places.filter((place) => !findings.some((finding) => finding.startsWith(place)));
	const verdict = await analyzePackage(dir, patterns);
	if (missed.length > 0 || verdict.passed)
		throw new Failure(
			`The scan is broken: it passes a package made to fail (${missed.join(', ') || 'verdict'}). Check scripts/scanner.`,
		);
}

function unpack() {
	const dir = join(workDir, 'package');
	mkdirSync(dir, { recursive: true });
	execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);
	return dir;
}
