import { once } from 'node:events';
import { createServer } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { freePort } from '../../../lab/n8n';

describe('a free port', () => {
	it('is none that a system gives to outgoing connections', async () => {
		const port = await freePort();

		expect(port).toBeGreaterThan(1024);
		expect(port).toBeLessThan(32_768);
	});

	it('is another one each time', async () => {
		const ports = [await freePort(), await freePort(), await freePort()];

		expect(new Set(ports).size).toBe(3);
	});

	it('is not one that is listened on', async () => {
		const port = await freePort();
		const taken = createServer().listen(port + 1, '127.0.0.1');
		await once(taken, 'listening');

		const next = await freePort();
		taken.close();

		expect(next).toBe(port + 2);
	});
});
