// @ts-check
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { Failure } from '../../scripts/lib/run.mjs';

/**
 * What the command line asks of a soak of several seeds.
 * @typedef {{ seeds: number[], durationMs: number, hosts: import('../../test/lab/n8n/index.js').Host[], json?: string }} Options
 */

/** @returns {Options} */
export function settings() {
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
 * @returns {Options['hosts']}
 */
export function hostsOf(mode) {
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
