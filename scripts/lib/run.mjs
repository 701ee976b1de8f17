// @ts-check
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, closeSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { root, tmp } from './paths.mjs';

/** A failure that has been explained to the reader: its message is all they need, no stack. */
export class Failure extends Error {
	/** @override */
	name = 'Failure';
}

const HEARTBEAT_MS = 10_000;
const EXCERPT_LINES = 25;

/** @param {number} since a `Date.now()` */
export const secondsSince = (since) => Math.round((Date.now() - since) / 1000);

/**
 * Runs a command with its output shown as it comes.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
export async function run(command, args, { cwd = root, env = process.env } = {}) {
	const code = await finished(
		spawn(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] }),
	);
	if (code !== 0) throw new Failure(`${[command, ...args].join(' ')} failed (exit code ${code}).`);
}

/**
 * Waits for all, whatever becomes of one.
 *
 * @param {Array<Promise<void>>} runs
 */
export async function together(runs) {
	for (const outcome of await Promise.allSettled(runs))
		if (outcome.status === 'rejected') throw outcome.reason;
}

/**
 * Runs a long command quietly: a line every ten seconds says that it is still at it, and its output goes to a log
 * file that is shown only when it fails.
 * @param {string} what said to the reader: "installing n8n"
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, hint?: string, timeout?: number }} options `hint`: what to do about a failure; `timeout` in milliseconds
 */
export async function runQuietly(what, command, args, options) {
	const { cwd, env = process.env, hint, timeout } = options;
	const logFile = join(tmp, 'logs', `${what.replace(/[^a-z0-9]+/gi, '-')}.log`);
	mkdirSync(join(tmp, 'logs'), { recursive: true });
	const log = openSync(logFile, 'w');
	const started = Date.now();
	console.log(`${what} …`);
	const heartbeat = setInterval(
		() => console.log(`${what} … ${secondsSince(started)} s`),
		HEARTBEAT_MS,
	);
	try {
		const code = await finished(
			spawn(command, args, { cwd, env, timeout, stdio: ['ignore', log, log] }),
		);
		if (code !== 0) {
			throw new Failure(
				`${excerpt(readFileSync(logFile, 'utf8'))}\n\n${what} failed (exit code ${code}); all of its output is in ${logFile}.${hint ? `\n${hint}` : ''}`,
			);
		}
		console.log(`${what}: done in ${secondsSince(started)} s`);
	} finally {
		clearInterval(heartbeat);
		closeSync(log);
	}
}

/**
 * Both ends of a log: some tools name the trouble first, others last.
 * @param {string} text
 */
function excerpt(text) {
	const lines = text.trimEnd().split('\n');
	if (lines.length <= 2 * EXCERPT_LINES) return lines.join('\n');
	return [...lines.slice(0, EXCERPT_LINES), '[…]', ...lines.slice(-EXCERPT_LINES)].join('\n');
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number | string>} exit code, or the name of the signal that ended it
 */
function finished(child) {
	return new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
	});
}

/**
 * The body of a script: a failure ends it with an explanation.
 * @param {() => Promise<void>} body
 * @param {number} [exitCode] of a failure
 */
export async function main(body, exitCode = 1) {
	try {
		await body();
	} catch (error) {
		report(error);
		process.exitCode = exitCode;
	}
}

/**
 * Prints an explained failure without a stack, anything else with one, and sets the exit code.
 * @param {unknown} error
 */
export function report(error) {
	console.error(isExplained(error) ? `\n${error.message}` : error);
	process.exitCode = 1;
}

/**
 * Compiled TypeScript has a class `Failure` of its own: test/lab/failure.ts.
 * @param {unknown} error
 * @returns {error is Error}
 */
const isExplained = (error) => error instanceof Error && error.name === 'Failure';

/**
 * Whether this file is the one that was started, not one that was imported.
 * @param {string} url its `import.meta.url`
 */
export const isEntryPoint = (url) => url === pathToFileURL(process.argv[1] ?? '').href;
