// @ts-check
// npm run soak: does each lead reach the workflow once, while the service fails and n8n is killed? The answer is a
// ledger of every lead against the executions in a real n8n.
// npm run soak -- --seed 7 --duration 120 --mode durable|default|both --json report.json
// --runs onePerLead: each lead has a run of its own, and nothing is excused. With --run-again N beside it, the target
// of the workflow refuses some leads at first, and each lead has to end in a run that succeeds.
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
			runs: { type: 'string', default: 'onePerPoll' },
			'run-again': { type: 'string', default: '0' },
			json: { type: 'string' },
		},
	});
	const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed);
	const duration = Number(values.duration);
	if (!Number.isSafeInteger(seed)) throw new Failure('--seed takes a whole number.');
	if (!(duration >= 30)) throw new Failure('--duration takes a number of seconds, 30 at least.');
	return {
		seed,
		durationMs: duration * 1_000,
		hosts: hostsOf(values.mode),
		handOver: handOverOf(values.runs, Number(values['run-again'])),
		json: values.json,
	};
}

/**
 * @param {string} runs
 * @param {number} runAgain
 * @returns {import('./main.js').Options['handOver']}
 */
function handOverOf(runs, runAgain) {
	if (runs !== 'onePerPoll' && runs !== 'onePerLead')
		throw new Failure('--runs takes onePerPoll or onePerLead.');
	if (!Number.isSafeInteger(runAgain) || runAgain < 0 || runAgain > 5)
		throw new Failure('--run-again takes a whole number from 0 to 5.');
	if (runs === 'onePerPoll' && runAgain > 0)
		throw new Failure('--run-again goes with --runs onePerLead.');
	return { runs, runAgain };
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
