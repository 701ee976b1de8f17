// @ts-check
// npm run soak:pushes: does each lead have one run, while it is pushed, polled or both, the service fails, and n8n is
// killed, locked and unpublished? The answer is a ledger of every lead and push against the executions in a real n8n.
// npm run soak:pushes -- --seed 7 --seeds 10 --duration 45 --mode durable|default|both --json report.json
import { build } from '../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../scripts/ensure-install.mjs';
import { load } from '../scripts/lib/compile.mjs';
import { main } from '../scripts/lib/run.mjs';
import { pack } from '../scripts/pack.mjs';
import { settings } from './lib/settings.mjs';

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
