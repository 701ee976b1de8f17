// @ts-check
// npm run soak:properties: is each change of a property that lasts delivered once, in order, while the service fails, its
// lists change as they are read, and n8n is killed? The answer is a ledger of every property's history against the
// executions of two workflows in a real n8n: one with One per Poll, one with One per Change.
// npm run soak:properties -- --seed 7 --seeds 10 --duration 45 --mode durable|default|both --json report.json
import { load } from '../scripts/lib/compile.mjs';
import { launch } from './lib/launch.mjs';
import { settings } from './lib/settings.mjs';

await launch(settings, async (options) => {
	console.log(`seeds ${options.seeds.join(', ')}`);
	/** @type {typeof import('./properties/main.js')} */
	const { soakProperties } = await load('soak/properties/main.ts');
	return await soakProperties(options);
});
