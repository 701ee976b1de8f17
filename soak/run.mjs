// @ts-check
// npm run soak, soak:pushes, soak:properties: does each lead have one run, or is each change of a property delivered once,
// while the service fails and n8n is killed, locked and unpublished? The answer is a ledger of all that happened against the
// executions in a real n8n.
// npm run soak -- --seed 7 --seeds 10 --duration 45 --mode durable|default|both --json report.json
// For leads also --run-again N: the target of the workflow refuses some leads at first, and each lead has to end in a run
// that succeeds.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { launch } from '../scripts/lib/launch.mjs';
import { Failure } from '../scripts/lib/run.mjs';

await launch(
	'soak/main.ts',
	settings,
	async (/** @type {typeof import('./main.js')} */ { soak }, options) => await soak(options),
);

/** @returns {import('./main.js').Options} */
function settings() {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: {
			seed: { type: 'string', default: String(randomInt(1_000_000)) },
			seeds: { type: 'string', default: '1' },
			duration: { type: 'string', default: '45' },
			mode: { type: 'string', default: 'both' },
			'run-again': { type: 'string', default: '0' },
			json: { type: 'string' },
		},
	});
	const seed = Number(values.seed);
	const mode = oneOf('mode', values.mode, ['durable', 'default', 'both']);
	return {
		load: oneOf('load', positionals[0] ?? '', ['leads', 'pushes', 'properties']),
		seeds: Array.from({ length: Number(values.seeds) }, (_, index) => seed + index),
		durationMs: Number(values.duration) * 1_000,
		hosts: mode === 'both' ? ['durable', 'default'] : [mode],
		runAgain: Number(values['run-again']),
		json: values.json,
	};
}

/**
 * @template {string} T
 * @param {string} name
 * @param {string} text
 * @param {T[]} choices
 */
function oneOf(name, text, choices) {
	const found = choices.find((choice) => choice === text);
	if (found !== undefined) return found;
	throw new Failure(`${name} is one of: ${choices.join(', ')}.`);
}
