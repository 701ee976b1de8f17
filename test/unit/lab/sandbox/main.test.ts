import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';

import { root } from '../../../lab/paths';
import type { Sandbox } from '../../../lab/sandbox';
import { request } from './helpers';

/** What a person runs, too. */
const COMMAND = join(root, 'scripts', 'sandbox.mjs');

describe('the process', () => {
	it('says what is wrong with its options, and ends', async () => {
		const child = spawn(process.execPath, [COMMAND, '--wild', 'seven'], {
			stdio: ['ignore', 'ignore', 'pipe'],
		});

		const [line] = (await once(createInterface(child.stderr), 'line')) as [string];

		expect(line).toBe('seed is an integer');
		expect(await once(child, 'exit')).toEqual([1, null]);
	});

	it.each(['SIGTERM', 'SIGINT'] as const)(
		'says where it is, serves, and ends on %s',
		async (signal) => {
			const child = spawn(process.execPath, [COMMAND, '--port', '0'], {
				stdio: ['ignore', 'pipe', 'inherit'],
			});
			try {
				const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
				const addresses = JSON.parse(line) as ReturnType<Sandbox['addresses']>;
				const client = addresses.clients.find(
					({ clientId }) => clientId === 'leads-branches-client',
				);
				expect(client?.branches).toHaveLength(3);
				const page = await request(`${addresses.url}/_sandbox/`);
				expect(page.text).toContain(addresses.leadsUrl);
			} finally {
				child.kill(signal);
			}

			expect(await once(child, 'exit')).toEqual([0, null]);
		},
	);
});
