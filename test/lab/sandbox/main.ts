import { parseArgs } from 'node:util';

import { SECOND } from './clock';
import { parseWild } from './control/controlInput';
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
	const { changesEveryMs, ...options } = readOptions(args);
	const sandbox = await Sandbox.start(options);
	seedDemo(sandbox, options.seed);
	if (changesEveryMs > 0) keepChanging(sandbox, changesEveryMs);
	process.stdout.write(`${JSON.stringify(sandbox.addresses())}\n`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.stop());
}

function keepChanging({ market }: Sandbox, everyMs: number): void {
	setInterval(() => market.step(), everyMs).unref();
}

function readOptions(args: string[]): SandboxOptions & { seed: number; changesEveryMs: number } {
	const { values } = parseArgs({
		args,
		options: {
			port: { type: 'string', default: '0' },
			seed: { type: 'string', default: '1' },
			wild: { type: 'string' },
			'wild-strength': { type: 'string', default: 'misbehaving' },
			'changes-every': { type: 'string', default: '0' },
		},
	});
	const { port, seed, wild, 'wild-strength': strength, 'changes-every': seconds } = values;
	return {
		port: Number(port),
		seed: Number(seed),
		changesEveryMs: Number(seconds) * SECOND,
		wild: wild === undefined ? undefined : parseWild({ seed: Number(wild), strength }),
	};
}
