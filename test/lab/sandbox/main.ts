import { parseArgs } from 'node:util';

import { parseWild } from './controlInput';
import { seedDemo } from './demo';
import { Sandbox } from './index';

async function main() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			seed: { type: 'string', default: '1' },
			wild: { type: 'string' },
			'wild-strength': { type: 'string', default: 'misbehaving' },
		},
	});
	const { port, seed, wild: wildSeed, 'wild-strength': strength } = values;
	// What is wrong is said before anything is open.
	const wild = wildSeed === undefined ? undefined : parseWild({ seed: Number(wildSeed), strength });
	const sandbox = await Sandbox.start({ port: Number(port), seed: Number(seed), wild });
	seedDemo(sandbox);
	process.stdout.write(`${JSON.stringify(sandbox.addresses())}\n`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.stop());
}

main().catch((error) => {
	process.stderr.write(`${error instanceof Error ? error.message : 'could not start'}\n`);
	process.exitCode = 1;
});
