import { Sandbox } from '../sandbox';
import { N8n, type N8nOptions } from '.';

export interface Both {
	n8n: N8n;
	sandbox: Sandbox;
}

interface Options {
	n8n?: N8nOptions;
	sandbox?: Parameters<typeof Sandbox.start>[0];
}

/** Starts a sandbox service and a real n8n for some work, and ends both, whatever comes of it. */
export async function withN8n<T>(
	work: (both: Both) => Promise<T>,
	options: Options = {},
): Promise<T> {
	const sandbox = await Sandbox.start(options.sandbox);
	try {
		const n8n = await N8n.start(options.n8n);
		try {
			return await work({ n8n, sandbox });
		} finally {
			await n8n.stop();
		}
	} finally {
		await sandbox.stop();
	}
}
