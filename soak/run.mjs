// @ts-check
// npm run soak: does each lead reach the workflow once, while the service fails and n8n is killed? The answer is a
// ledger of every lead against the executions in a real n8n.
// npm run soak -- --seed 7 --duration 120 --mode durable|default|both --json report.json
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { load } from '../scripts/lib/compile.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';

await main(async () => {
	const options = settings();
	console.log(`seed ${options.seed}`);
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	/** @type {typeof import('./main.js')} */
	const { soak } = await load('soak/main.ts');
	if (!(await soak(options))) process.exitCode = 1;
});
// What was cut off by an interrupt or a deadline must not keep the process; n8n ends with it.
process.exit();

/** @returns {import('./main.js').Options} */
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
 * @returns {import('./main.js').Options['hosts']}
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
