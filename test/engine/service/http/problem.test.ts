import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { tokenOf } from '../../../../service/auth/n8nHooks';
import { shortenBackoff } from '../../../lab/engine/bench';
import { InventoryBench } from '../../../lab/engine/inventory';
import { LeadsBench, visibleText } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

/** What the service says to every request. */
interface Said {
	status: number;
	body: string;
	type?: string;
}

let said: Said;
let service: Server;

beforeEach(async () => {
	shortenBackoff();
	service = createServer((_, response) => {
		const { status, body, type = 'application/json' } = said;
		response.writeHead(status, { 'content-type': type }).end(body);
	});
	await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
	jest.restoreAllMocks();
	await new Promise((resolve) => service.close(resolve));
});

const url = () => `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

describe('the words of the inventory', () => {
	const bench = useBench(InventoryBench);

	beforeEach(() => {
		bench.stored.inventoryUrl = url();
	});

	it.each([
		'application/json',
		'application/problem+json; charset=utf-8',
		'text/json',
		'text/plain; charset=utf-8',
	])('about fields reach the person, in %s', async (type) => {
		const errors = { 'owner-id': ['a number is needed'], 'max-results': ['at most 250'] };
		const problem = { type: null, title: 'Not accepted', status: 400, detail: null, errors };
		said = { status: 400, type, body: JSON.stringify(problem) };

		const { error } = await bench.run({ operation: 'getAll' });

		expect(error?.message).toBe('The service refused the request (400)');
		expect(error?.description).toContain(
			'The service says: “owner-id: a number is needed; max-results: at most 250”. Check the fields of this node. If you cannot tell which one is wrong, send this message to the operator of the service. <a ',
		);
	});
});

describe('the words of the leads service', () => {
	const bench = useBench(LeadsBench);

	it.each([
		['as it is', (secret: string) => secret],
		['in base64', (secret: string) => Buffer.from(secret).toString('base64')],
	])('are left out with the secret or the token in them: %s', async (_, spell) => {
		const { clientSecret } = bench.sandbox.clients.get(bench.clientId);
		bench.stored.authUrl = url();
		said = {
			status: 400,
			body: JSON.stringify({
				error: 'invalid_request',
				error_description: `“${spell(clientSecret)}”`,
			}),
		};

		const refused = await bench.run({}, { onError: 'continueRegularOutput' });

		expect(visibleText(refused)).toContain('The service’s code is invalid_request.');
		expect(visibleText(refused)).not.toContain('The service says');

		Object.assign(bench.stored, {
			authUrl: bench.sandbox.authUrl,
			audience: bench.sandbox.leadsUrl,
		});
		await bench.run();
		bench.stored.leadsUrl = url();
		await bench.run();

		const token = tokenOf(bench.stored);

		expect(token).not.toBe('');

		said = {
			status: 400,
			body: JSON.stringify({ errors: [{ message: `“${spell(token)}”` }] }),
		};

		const { error } = await bench.run();

		expect(error?.message).toContain('The service refused the request (400)');
		expect(error?.description).not.toContain('The service says');
	});
});
