// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { root } from './paths.mjs';
import { Failure } from './run.mjs';

/**
 * @typedef {{ integration: string, clientId: string, clientSecret: string, agencyRefs: string[] }} Client
 * @typedef {{ url: string, authUrl: string, leadsUrl: string, tokenUrl: string, inventoryUrl: string, productsUrl: string, clients: Client[], smtp: Record<string, string | number | boolean> }} Addresses
 */

/**
 * The stand-in for the service, as a process that ends with this one.
 * @param {number} port
 * @param {string[]} [options] of its own
 */
export async function startSandbox(port, options = []) {
	const guard = join(root, 'test', 'lab', 'n8n', 'die-with-parent.js');
	const script = join(root, 'scripts', 'sandbox.mjs');
	const args = ['--require', guard, script, '--port', String(port), ...options];
	const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
	const exited = once(child, 'exit');
	const line = await Promise.race([
		once(createInterface({ input: child.stdout }), 'line'),
		exited.then(() => {
			throw new Failure('The sandbox service did not start.');
		}),
	]);
	/** @type {Addresses} */
	const addresses = JSON.parse(line[0]);
	return {
		addresses,
		exited,
		async stop() {
			child.kill('SIGTERM');
			await exited;
		},
	};
}
