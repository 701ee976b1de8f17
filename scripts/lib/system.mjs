// @ts-check
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { root } from './paths.mjs';
import { Failure, runQuietly } from './run.mjs';

/**
 * @typedef {object} Tool
 * @property {string[]} commands any one of these will do
 * @property {string} package Debian's package of it
 */

/**
 * Sees to programs that no npm package brings: root on Debian or Ubuntu gets them installed, anybody else is told.
 * @param {string} what said to the reader: "gpg"
 * @param {Tool[]} tools
 */
export async function ensureTools(what, tools) {
	const missing = tools.filter(({ commands }) => !commands.some(isOnPath));
	if (missing.length === 0) return;
	const packages = missing.map((tool) => tool.package);
	if (process.getuid?.() !== 0 || !isOnPath('apt-get')) {
		throw new Failure(
			`The tests need ${missing.map(({ commands }) => commands[0]).join(' and ')}. On Debian or Ubuntu: sudo apt-get install ${packages.join(' ')}. On macOS: brew install ${packages.join(' ')}. Then run the command again.`,
		);
	}
	const options = {
		cwd: root,
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		hint: "This step needs Debian's packages. Check the network and run the command again.",
	};
	await runQuietly('reading the list of packages', 'apt-get', ['update'], options);
	const install = ['install', '--yes', '--no-install-recommends', ...packages];
	await runQuietly(`installing ${what}`, 'apt-get', install, options);
}

/** @param {string} command */
function isOnPath(command) {
	return (process.env.PATH ?? '').split(delimiter).some((dir) => isProgram(join(dir, command)));
}

/** @param {string} file */
function isProgram(file) {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
