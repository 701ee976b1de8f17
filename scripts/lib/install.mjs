// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { runQuietly } from './run.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, peer?: boolean, link?: boolean }} Entry
 * @typedef {Record<string, Entry>} Entries paths under the package folder, as in a package-lock.json
 */

/**
 * Installs a package folder exactly as its package-lock.json says, unless that is what is there already.
 * @param {string} dir
 * @param {string} what said to the reader: "n8n"
 */
export async function ensureInstalled(dir, what) {
	if (isInstalled(dir)) return;
	await runQuietly(
		`installing ${what}`,
		'npm',
		['ci', '--no-audit', '--no-fund', '--loglevel', 'error'],
		{
			cwd: dir,
			hint: 'This step needs the npm registry. Check the network and run the command again.',
		},
	);
}

/**
 * Compares the lock with the one that npm leaves inside node_modules as the last act of an install. A half-finished
 * install has none, and an install from an older lock differs.
 * @param {string} dir
 */
export function isInstalled(dir) {
	const hidden = join(dir, 'node_modules', '.package-lock.json');
	if (!existsSync(hidden)) return false;
	const wanted = entries(join(dir, 'package-lock.json'));
	const found = entries(hidden);
	return (
		Object.entries(wanted).every(([path, entry]) => sameEntry(entry, found[path])) &&
		Object.keys(found).every((path) => path in wanted)
	);
}

/**
 * An optional entry may be missing: it is for another platform.
 * @param {Entry} wanted
 * @param {Entry | undefined} found
 */
function sameEntry(wanted, found) {
	if (!found) return wanted.optional === true;
	return wanted.version === found.version && wanted.integrity === found.integrity;
}

/**
 * @param {string} lockFile
 * @returns {Entries}
 */
function entries(lockFile) {
	const { '': _root, ...rest } = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
	return rest;
}
