import { parseArgs } from 'node:util';

import { MailServer } from '../n8n/mailServer';
import { SECOND } from '../times';
import { changeProperty, seedDemo } from './demo';
import { Sandbox } from './index';
import { createRandom } from './random';

/**
 * Starts a sandbox with data to try things on, tells on standard output where it is, and stops it at SIGINT or SIGTERM.
 *
 * @param args of the command line
 * @throws Error that says which argument is wrong
 */
export async function runSandbox(args: string[]): Promise<void> {
	const { values } = parseArgs({
		args,
		options: {
			port: { type: 'string', default: '0' },
			seed: { type: 'string', default: '1' },
			'changes-every': { type: 'string', default: '0' },
		},
	});
	const [port, seed, seconds] = [values.port, values.seed, values['changes-every']].map(Number);
	const sandbox = await Sandbox.start({ port, seed });
	seedDemo(sandbox, seed ?? 1);
	const mailServer = await MailServer.start();
	sandbox.control.mails = mailServer.mails;
	const random = createRandom(seed ?? 1);
	if (seconds) setInterval(() => changeProperty(sandbox, random), seconds * SECOND).unref();
	const addresses = { ...sandbox.addresses(), smtp: mailServer.credential };
	process.stdout.write(`${JSON.stringify(addresses)}\n`);
	for (const signal of ['SIGINT', 'SIGTERM'])
		process.once(signal, () => void Promise.all([sandbox.stop(), mailServer.stop()]));
}
