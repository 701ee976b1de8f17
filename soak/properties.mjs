// @ts-check
// npm run soak:properties: is each change of a property that lasts delivered once, in order, while the service fails, its
// lists change as they are read, and n8n is killed? The answer is a ledger of every property's history against the
// executions of two workflows in a real n8n: one with One per Poll, one with One per Change.
// npm run soak:properties -- --seed 7 --seeds 10 --duration 45 --mode durable|default|both --json report.json
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
	/** @type {typeof import('./properties/main.js')} */
	const { soakProperties } = await load('soak/properties/main.ts');
	if (!(await soakProperties(options))) process.exitCode = 1;
});
// What was cut off by an interrupt or a deadline must not keep the process; n8n ends with it.
process.exit();
