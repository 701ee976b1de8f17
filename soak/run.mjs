// @ts-check
// npm run soak: does each lead reach the workflow once, while the service fails and n8n is killed? The answer is a
// ledger of every lead against the executions in a real n8n.
// npm run soak -- --seed 7 --duration 120 --mode durable|default|both --json report.json
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { loadHarness } from '../scripts/lib/harness.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';
import { soak } from './lib/host.mjs';
import { failures, table } from './lib/report.mjs';

/**
 * @typedef {import('../test/lab/n8n/index.js').Host} Host
 * @typedef {import('./lib/host.mjs').Figures} Figures
 */

/** Beside the time in which leads come: starts, restarts, and the wait for the last lead. */
const EXTRA_MS = 6 * 60_000;

await main(async () => {
	const { seed, durationMs, hosts, json } = settings();
	console.log(`seed ${seed}`);
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	const harness = await loadHarness();

	/** @type {Figures[]} */
	const all = [];
	for (const host of hosts) {
		const signal = endOf(durationMs + EXTRA_MS);
		all.push(await soak({ harness, host, seed, durationMs, signal }));
	}

	const findings = all.flatMap(failures);
	if (json !== undefined) {
		writeFileSync(
			json,
			`${JSON.stringify({ seed, durationMs, findings, hosts: all }, null, '\t')}\n`,
		);
	}
	console.log(`\n${table(all)}\n`);
	for (const finding of findings) console.log(finding);
	console.log(`seed ${seed}: ${findings.length === 0 ? 'passed' : 'FAILED'}`);
	if (findings.length > 0) process.exitCode = 1;
});
// What was cut off by an interrupt or a deadline must not keep the process; n8n ends with it.
process.exit();

function settings() {
	const { values } = parseArgs({
		options: {
			seed: { type: 'string' },
			duration: { type: 'string', default: '120' },
			mode: { type: 'string', default: 'both' },
			json: { type: 'string' },
		},
	});
	const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
	const duration = Number(values.duration);
	if (!Number.isSafeInteger(seed)) throw new Failure('--seed takes a whole number.');
	if (!(duration >= 30)) throw new Failure('--duration takes a number of seconds, 30 at least.');
	return { seed, durationMs: duration * 1_000, hosts: hostsOf(values.mode), json: values.json };
}

/**
 * @param {string} mode
 * @returns {Host[]}
 */
function hostsOf(mode) {
	switch (mode) {
		case 'default':
		case 'durable':
			return [mode];
		case 'both':
			return ['durable', 'default'];
		default:
			throw new Failure('--mode takes durable, default or both.');
	}
}

/**
 * Aborts on Ctrl-C and after a time.
 *
 * @param {number} ms
 */
function endOf(ms) {
	const end = new AbortController();
	process.once('SIGINT', () => end.abort(new Failure('Interrupted.')));
	setTimeout(() => end.abort(new Failure(`Not done in ${ms / 60_000} minutes.`)), ms).unref();
	return end.signal;
}
