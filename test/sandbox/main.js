// @ts-check
const { parseArgs } = require('node:util');
const { seedDemo } = require('./demo');
const { Sandbox } = require('./index');

async function main() {
	const { values } = parseArgs({
		options: { port: { type: 'string', default: '0' }, seed: { type: 'string', default: '1' } },
	});
	const sandbox = await Sandbox.start({ port: Number(values.port), seed: Number(values.seed) });
	seedDemo(sandbox);
	process.stdout.write(`${JSON.stringify(sandbox.addresses())}\n`);
	for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void sandbox.stop());
}

main().catch((error) => {
	process.stderr.write(`${error instanceof Error ? error.message : 'could not start'}\n`);
	process.exitCode = 1;
});
