// @ts-check
const { parseArgs } = require('node:util');
const { parseWild } = require('./controlInput');
const { seedDemo } = require('./demo');
const { Sandbox } = require('./index');

async function main() {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			seed: { type: 'string', default: '1' },
			wild: { type: 'string' },
			'wild-strength': { type: 'string', default: 'misbehaving' },
		},
	});
	const sandbox = await Sandbox.start({ port: Number(values.port), seed: Number(values.seed) });
	seedDemo(sandbox);
	if (values.wild !== undefined) {
		sandbox.wild.start(parseWild({ seed: Number(values.wild), strength: values['wild-strength'] }));
	}
	process.stdout.write(`${JSON.stringify(sandbox.addresses())}\n`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.stop());
}

main().catch((error) => {
	process.stderr.write(`${error instanceof Error ? error.message : 'could not start'}\n`);
	process.exitCode = 1;
});
