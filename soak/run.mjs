// @ts-check
// npm run soak: does each lead reach the workflow once, while the service fails and n8n is killed? The answer is a
// ledger of every lead against the executions in a real n8n.
// npm run soak -- --seed 7 --duration 120 --mode durable|default|both --json report.json
// --runs onePerLead: each lead has a run of its own, and nothing is excused. With --run-again N beside it, the target
// of the workflow refuses some leads at first, and each lead has to end in a run that succeeds.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { load } from '../scripts/lib/compile.mjs';
import { Failure } from '../scripts/lib/run.mjs';
import { launch } from './lib/launch.mjs';
import { hostsOf } from './lib/settings.mjs';

await launch(settings, async (options) => {
	console.log(`seed ${options.seed}`);
	/** @type {typeof import('./main.js')} */
	const { soak } = await load('soak/main.ts');
	return await soak(options);
});

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
