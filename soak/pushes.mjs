// @ts-check
// npm run soak:pushes: does each lead have one run, while it is pushed, polled or both, the service fails, and n8n is
// killed, locked and unpublished? The answer is a ledger of every lead and push against the executions in a real n8n.
// npm run soak:pushes -- --seed 7 --seeds 10 --duration 45 --mode durable|default|both --json report.json
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { load } from '../scripts/lib/compile.mjs';
import { Failure, main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';

await main(async () => {
	const options = settings();
	console.log(`seeds ${options.seeds.join(', ')}`);
	await ensureRoot();
	await ensureN8n();
	await build();
	await pack();
	/** @type {typeof import('./pushes/main.js')} */
	const { soakPushes } = await load('soak/pushes/main.ts');
	if (!(await soakPushes(options))) process.exitCode = 1;
});
// What was cut off by an interrupt or a deadline must not keep the process; n8n ends with it.
process.exit();

/** @returns {import('./pushes/main.js').Options} */
function settings() {
	const { values } = parseArgs({
		options: {
			seed: { type: 'string', default: String(randomInt(1_000_000)) },
			seeds: { type: 'string', default: '1' },
			duration: { type: 'string', default: '45' },
			mode: { type: 'string', default: 'both' },
			json: { type: 'string' },
		},
	});
	const seed = Number(values.seed);
	const count = Number(values.seeds);
	const duration = Number(values.duration);
	if (!Number.isSafeInteger(seed)) throw new Failure('--seed takes a whole number.');
	if (!(count >= 1 && count <= 1_000)) throw new Failure('--seeds takes a number of seeds.');
	if (!(duration >= 10)) throw new Failure('--duration takes a number of seconds, 10 at least.');
	return {
		seeds: Array.from({ length: count }, (_, index) => seed + index),
		durationMs: duration * 1_000,
		hosts: hostsOf(values.mode),
		json: values.json,
	};
}

/**
 * @param {string} mode
 * @returns {import('./pushes/main.js').Options['hosts']}
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
