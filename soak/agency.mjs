// @ts-check
// npm run soak:agency: how many polls the baseline of a large agency takes in a real n8n, what each of them costs, how much n8n stores
// for a property; and is a lower price told once, before and after n8n is killed?
// npm run soak:agency -- --properties 20000 --mode durable|default|both --json report.json
import { parseArgs } from 'node:util';

import { load } from '../scripts/lib/compile.mjs';
import { Failure } from '../scripts/lib/run.mjs';
import { launch } from './lib/launch.mjs';
import { hostsOf } from './lib/settings.mjs';

await launch(settings, async (options) => {
	/** @type {typeof import('./properties/large.js')} */
	const { soakLargeAgency } = await load('soak/properties/large.ts');
	return await soakLargeAgency(options);
});

/** @returns {import('./properties/large.js').LargeOptions} */
function settings() {
	const { values } = parseArgs({
		options: {
			properties: { type: 'string', default: '20000' },
			mode: { type: 'string', default: 'both' },
			json: { type: 'string' },
		},
	});
	const properties = Number(values.properties);
	if (!Number.isSafeInteger(properties) || properties < 2)
		throw new Failure('--properties takes a whole number, 2 at least.');
	return { properties, hosts: hostsOf(values.mode), json: values.json };
}
