import { parseArgs } from 'node:util';

import { parseWild } from './controlInput';
import { seedDemo } from './demo';
import type { SandboxOptions } from './index';
import { Sandbox } from './index';

/**
 * Starts a sandbox with data to try things on, tells on standard output where it is, and stops it at SIGINT or SIGTERM.
 *
 * @param args of the command line
 * @throws Error that says which argument is wrong
 */
export async function runSandbox(args: string[]): Promise<void> {
	const sandbox = await Sandbox.start(readOptions(args));
	seedDemo(sandbox);
	process.stdout.write(`${JSON.stringify(sandbox.addresses())}\n`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.stop());
}

function readOptions(args: string[]): SandboxOptions {
	const { values } = parseArgs({
		args,
		options: {
			port: { type: 'string', default: '0' },
			seed: { type: 'string', default: '1' },
			wild: { type: 'string' },
			'wild-strength': { type: 'string', default: 'misbehaving' },
		},
	});
	const { port, seed, wild, 'wild-strength': strength } = values;
	return {
		port: Number(port),
		seed: Number(seed),
		wild: wild === undefined ? undefined : parseWild({ seed: Number(wild), strength }),
	};
}
