import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, it, jest } from '@jest/globals';

import type { Bench } from '../../../lab/engine/bench';
import { InventoryBench } from '../../../lab/engine/inventory';
import { LeadsBench, shortenBackoff } from '../../../lab/engine/leads';
import { PREMIUM_PATH, ProductsBench } from '../../../lab/engine/products';

const open: Array<{ stop: () => Promise<void> }> = [];

async function started<B extends Bench>(starting: Promise<B>): Promise<B> {
	shortenBackoff();
	const bench = await starting;
	open.push(bench);
	return bench;
}

afterEach(async () => {
	jest.restoreAllMocks();
	for (const opened of open.splice(0)) await opened.stop();
});

describe('the Token URL', () => {
	/** A token endpoint that takes whatever it is asked, and what that was. */
	async function endpoint({ sandbox, clientId }: InventoryBench) {
		const asked: Array<string | undefined> = [];
		const server: Server = createServer((request, response) => {
			asked.push(request.url);
			const { value } = sandbox.tokens.issue(sandbox.clients.get(clientId));
			const body = { access_token: value, expires_in: 3_600, token_type: 'Bearer' };
			response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const stop = async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		};
		open.push({ stop });
		const { port } = server.address() as AddressInfo;
		return { asked, url: `http://127.0.0.1:${port}` };
	}

	it.each([
		['/connect/token', '/connect/token'],
		['/connect/token/', '/connect/token/'],
		['/connect/token//', '/connect/token//'],
		['/', '/'],
		['/token?tenant=one%2Ftwo&x=', '/token?tenant=one%2Ftwo&x='],
		['/token \r\n', '/token'],
		['/token\u200b', '/token'],
	])('%p is asked as it was entered', async (path, expected) => {
		const bench = await started(InventoryBench.start());
		const { asked, url } = await endpoint(bench);
		bench.stored.tokenUrl = ` ${url}${path}`;

		expect((await bench.run({ operation: 'getAll', limit: 1 })).items).toHaveLength(1);
		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect(asked).toEqual([expected, expected]);
	});
});

describe('the Leads URL', () => {
	const run = async (
		entered: (leadsUrl: string) => string,
		audience: (leadsUrl: string) => string,
	) => {
		const bench = await started(LeadsBench.start());
		const { leadsUrl } = bench.sandbox;
		bench.sandbox.addLead('applicant');
		bench.sandbox.updateClient(bench.clientId, { audience: audience(leadsUrl) });
		bench.stored.leadsUrl = entered(leadsUrl);
		expect((await bench.run()).items).toHaveLength(1);
		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect(bench.dataRequests.map(({ path }) => path)).toEqual([
			'/leads-api/applicant-leads',
			'/leads-api/appraisal-leads',
		]);
	};

	it.each(['', '/', '//'])(
		'is the audience to the letter, with “%s” at its end, and no part of a path is doubled',
		async (end) => {
			await run(
				(leadsUrl) => `\t${leadsUrl}${end}\r\n`,
				(leadsUrl) => `${leadsUrl}${end}`,
			);
		},
	);

	it.each(['/applicant-leads', '//appraisal-leads//'])(
		'is understood where %s was pasted with it, which is no part of the audience',
		async (path) => {
			await run(
				(leadsUrl) => leadsUrl + path,
				(leadsUrl) => leadsUrl + (path.startsWith('//') ? '/' : ''),
			);
		},
	);
});

describe('the Auth URL', () => {
	it.each(['/', '/oauth2/token/'])('is understood with %s at its end', async (end) => {
		for (const starting of [LeadsBench.start(), ProductsBench.start()]) {
			const bench = await started<LeadsBench | ProductsBench>(starting);
			bench.stored.authUrl = `${bench.sandbox.authUrl}${end}`;
			expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
			expect(bench.sandbox.requests[0]?.path).toBe('/auth/oauth2/token');
		}
	});
});

describe('the Products URL', () => {
	it.each(['/products', '/products/weekly-featured-properties/'])(
		'is understood with %s at its end',
		async (end) => {
			const bench = await started(ProductsBench.start());
			bench.stored.productsUrl = `${bench.sandbox.productsUrl}${end}`;

			expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
			expect(bench.productRequests.map(({ path }) => path)).toEqual([PREMIUM_PATH]);
		},
	);
});

describe('the Inventory URL', () => {
	it.each(['/inventory', '/inventory/items/'])('is understood with %s at its end', async (end) => {
		const bench = await started(InventoryBench.start());
		bench.stored.inventoryUrl = `${bench.sandbox.inventoryUrl}${end}`;

		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect(bench.dataRequests.map(({ path }) => path)).toEqual([
			'/inventory-api/inventory',
			'/inventory-api/partners/integration',
		]);
	});
});
