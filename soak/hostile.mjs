// @ts-check
// npm run soak:hostile: more than 500 requests that must start no run, sent to a real n8n. It says what each was answered, how
// long that took, and whether anything of a key, a secret or a body is in an answer, a log or n8n's folder.
// npm run soak:hostile -- --seed 7 --rounds 3 --mode durable|default
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

import { load } from '../scripts/lib/compile.mjs';
import { Failure } from '../scripts/lib/run.mjs';
import { launch } from './lib/launch.mjs';

await launch(settings, async (options) => {
	console.log(`seed ${options.seed}`);
	/** @type {typeof import('./hostile/main.js')} */
	const { soakHostile } = await load('soak/hostile/main.ts');
	return await soakHostile(options);
});

/** @returns {import('./hostile/main.js').Options} */
function settings() {
	const { values } = parseArgs({
		options: {
			seed: { type: 'string', default: String(randomInt(1_000_000)) },
			rounds: { type: 'string', default: '3' },
			mode: { type: 'string', default: 'default' },
		},
	});
	const seed = Number(values.seed);
	const rounds = Number(values.rounds);
	if (!Number.isSafeInteger(seed)) throw new Failure('--seed takes a whole number.');
	if (!(rounds >= 1)) throw new Failure('--rounds takes a number, 1 at least.');
	if (values.mode !== 'default' && values.mode !== 'durable')
		throw new Failure('--mode takes durable or default.');
	return { seed, rounds, host: values.mode };
}
