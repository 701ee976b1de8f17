// @ts-check
// npm run verify:package -- 1.2.3            the version on npm against the commit of its tag
// npm run verify:package -- some.tgz         a package in a file; --commit <commit> if it is not that of its tag
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { manifest, root } from './lib/paths.mjs';
import { Failure, main, runQuietly } from './lib/run.mjs';

const USAGE = 'npm run verify:package -- <version on npm, or a .tgz file> [--commit <commit>]';
const VERSION = /^\d+\.\d+\.\d+\S*$/;

await main(async () => {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { commit: { type: 'string' } },
	});
	const [wanted, ...others] = positionals;
	if (wanted === undefined || others.length > 0) throw new Failure(`Usage: ${USAGE}`);

	// Outside of the repository, whose installed packages a build inside would find.
	const folder = mkdtempSync(join(tmpdir(), 'verify-package-'));
	try {
		const file = VERSION.test(wanted) ? await download(wanted, folder) : resolve(wanted);
		if (!existsSync(file)) throw new Failure(`There is no file ${file}. Usage: ${USAGE}`);
		await compare(file, commitOf(values.commit ?? `v${versionIn(file)}`), join(folder, 'source'));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
});

/**
 * @param {string} file
 * @param {string} commit
 * @param {string} source a folder for a clone
 */
async function compare(file, commit, source) {
	git('clone', '--quiet', '--no-checkout', root, source);
	git('-C', source, 'checkout', '--quiet', '--detach', commit);
	await runQuietly('building', 'npm', ['run', 'pack'], { cwd: source });

	const built = join(source, '.tmp', 'package.tgz');
	const [theirs, ours] = [sha256(file), sha256(built)];
	console.log(`\n${theirs}  ${file}\n${ours}  built from ${commit}`);
	if (theirs !== ours)
		throw new Failure(
			`The package is not what this commit builds (Node.js ${process.versions.node}):\n${differences(file, built)}`,
		);
	console.log('The package is, byte for byte, what this commit builds.');
}

/**
 * @param {string} version
 * @param {string} folder
 */
async function download(version, folder) {
	const spec = `${manifest().name}@${version}`;
	const args = ['pack', '--pack-destination', folder, spec];
	const hint = `If npm has no ${spec}, name one of the versions that “npm view ${manifest().name} versions” lists.`;
	await runQuietly(`downloading ${spec}`, 'npm', args, { cwd: folder, hint });
	return join(folder, `${manifest().name}-${version}.tgz`);
}

/** @param {string} file */
function versionIn(file) {
	const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
	/** @type {{ version: string }} */
	const { version } = JSON.parse(text);
	return version;
}

/** @param {string} name of a tag, a branch or a commit */
function commitOf(name) {
	const args = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`];
	const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
	if (status !== 0)
		throw new Failure(
			`This repository has no tag or commit ${name}. Run “git fetch --tags”, or name the commit: --commit <commit>`,
		);
	return stdout.trim();
}

/** @param {string[]} args */
function git(...args) {
	execFileSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** @param {string} file */
function sha256(file) {
	return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/**
 * Which files differ, as diff says it; times, owners and permissions are in the lists of tar.
 *
 * @param {string[]} archives
 */
function differences(...archives) {
	const folders = archives.map((archive) => {
		const folder = mkdtempSync(join(tmpdir(), 'unpacked-'));
		execFileSync('tar', ['-xzf', archive, '-C', folder]);
		return folder;
	});
	const { stdout } = spawnSync('diff', ['-r', ...folders], { encoding: 'utf8' });
	for (const folder of folders) rmSync(folder, { recursive: true });
	return stdout || `All files are the same. Compare the lists: tar -tvzf ${archives.join(', ')}`;
}
