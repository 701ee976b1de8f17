// @ts-check
// npm run check:service: is a real environment of the service as test/lab/contract has it? It reads only; what it takes is in
// npm run check:service -- --help
import { parseArgs } from 'node:util';

import { ensureRoot } from './ensure-install.mjs';
import { load } from './lib/compile.mjs';
import { Failure, main } from './lib/run.mjs';

await main(async () => {
	const { help: isHelp } = settings();
	await ensureRoot();
	/** @type {typeof import('../test/lab/check/main.js')} */
	const { checkService, help } = await load('test/lab/check/main.ts');
	const write = (/** @type {string} */ line) => console.log(line);
	if (isHelp) write(help());
	else process.exitCode = await checkService(process.env, write);
}, 2);

function settings() {
	try {
		return parseArgs({ options: { help: { type: 'boolean', default: false } } }).values;
	} catch {
		// What was given may be a secret at the wrong place.
		throw new Failure(
			'check:service takes --help only; everything else is in environment variables.',
		);
	}
}
