// @ts-check
// Programs that the tests need and npm does not have: found on this machine, or installed from Debian's packages.
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { Failure, runQuietly } from './run.mjs';

/** Installing a package must not start its service: the tests start what they need themselves. */
const NO_SERVICES = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };

/**
 * Finds a program, or installs the Debian package that holds it, which takes root.
 * @param {string[]} names any one of these will do
 * @param {string} debianPackage
 * @param {() => string[]} [folders] where to look; the PATH when not given
 * @returns {Promise<string>} its path
 */
export async function ensureProgram(names, debianPackage, folders = pathFolders) {
	const found = find(names, folders());
	if (found) return found;

	if (process.getuid?.() !== 0 || !find(['apt-get'], pathFolders()))
		throw new Failure(
			`${names[0]} is not on this machine. On Debian or Ubuntu: sudo apt-get install ${debianPackage}. Then run the command again.`,
		);
	const options = { cwd: '/', env: NO_SERVICES, hint: 'This step needs a Debian mirror.' };
	await runQuietly('reading the list of Debian packages', 'apt-get', ['update'], options);
	await runQuietly(
		`installing ${debianPackage}`,
		'apt-get',
		['install', '--yes', '--no-install-recommends', debianPackage],
		options,
	);
	const installed = find(names, folders());
	if (installed) return installed;
	throw new Failure(`${debianPackage} was installed, but brought no ${names[0]}.`);
}

/** @returns {string[]} */
export function pathFolders() {
	return (process.env.PATH ?? '').split(delimiter);
}

/** PostgreSQL's programs, which Debian keeps off the PATH, one folder for each version; the newest first. */
export function postgresFolders() {
	const versions = '/usr/lib/postgresql';
	const debian = existsSync(versions)
		? readdirSync(versions)
				.sort((a, b) => Number(b) - Number(a))
				.map((version) => join(versions, version, 'bin'))
		: [];
	return [...debian, ...pathFolders()];
}

/**
 * @param {string[]} names
 * @param {string[]} folders
 */
function find(names, folders) {
	return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/** @param {string} file */
function isExecutable(file) {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
