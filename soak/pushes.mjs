// @ts-check
// npm run soak:pushes: does each lead have one run, while it is pushed, polled or both, the service fails, and n8n is
// killed, locked and unpublished? The answer is a ledger of every lead and push against the executions in a real n8n.
// npm run soak:pushes -- --seed 7 --seeds 10 --duration 45 --mode durable|default|both --json report.json
import { load } from '../scripts/lib/compile.mjs';
import { launch } from './lib/launch.mjs';
import { settings } from './lib/settings.mjs';

await launch(settings, async (options) => {
	console.log(`seeds ${options.seeds.join(', ')}`);
	/** @type {typeof import('./pushes/main.js')} */
	const { soakPushes } = await load('soak/pushes/main.ts');
	return await soakPushes(options);
});
