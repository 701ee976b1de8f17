import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../lab/sandbox';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import { bearer, request, seconds, tokenRequest } from './helpers';

const [AGENCY, OTHER_AGENCY] = AGENCY_REFS;

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await Sandbox.start({ clockOffsetMs: 3_600_000 });
});
afterEach(() => sandbox.stop());

const leads = (headers: Record<string, string>, query = '') =>
	request(`${sandbox.leadsUrl}/applicant-leads${query}`, { headers });

describe('counts', () => {
	it('tell tokens asked for from tokens issued', async () => {
		await tokenRequest(sandbox, sandbox.leadsClient);
		await tokenRequest(sandbox, sandbox.leadsClient, { fields: { audience: 'wrong' } });

		await tokenRequest(sandbox, { ...sandbox.productsClient, clientId: 'nobody' });

		expect(sandbox.counts.tokens).toEqual({ 'leads-client': 1 });
		expect(sandbox.counts.tokenRequests).toEqual({ 'leads-client': 2, nobody: 1 });
		expect(sandbox.counts.dataRequests).toBe(0);
	});

	it('are by path and client, with ids left out, refused requests too', async () => {
		const headers = await bearer(sandbox, sandbox.inventoryClient);
		const inventory = (path: string) =>
			request(`${sandbox.inventoryUrl}/inventory${path}`, {
				headers: { AgencyRef: AGENCY, ...headers },
			});
		await inventory('/one');
		await inventory('/two');
		await inventory('');
		await leads({});

		await request(`${sandbox.url}/elsewhere`);

		expect(sandbox.counts.data).toEqual({
			'/inventory-api/inventory/{id}': { 'inventory-client': 2 },
			'/inventory-api/inventory': { 'inventory-client': 1 },
			'/leads-api/applicant-leads': { '': 1 },
			'/*': { '': 1 },
		});
		expect(sandbox.counts.dataRequests).toBe(5);
	});

	it('know the most requests at once, and see one after the other as one', async () => {
		const headers = await bearer(sandbox, sandbox.leadsClient);
		const path = '/leads-api/applicant-leads';

		for (let round = 0; round < 20; round++) await leads(headers);

		expect(sandbox.counts.maxInFlight[path]).toBe(1);

		sandbox.faults.add({ kind: 'hang', times: 3 });
		const aborter = new AbortController();
		const hanging = [1, 2, 3].map(() =>
			request(`${sandbox.leadsUrl}/applicant-leads`, { headers, signal: aborter.signal }),
		);
		await sandbox.waitForCount(({ maxInFlight }) => maxInFlight[path], 3);
		aborter.abort();
		await Promise.allSettled(hanging);
	});

	it('start again', async () => {
		await leads(await bearer(sandbox, sandbox.leadsClient));

		sandbox.resetCounts();

		expect(sandbox.requests).toEqual([]);
		expect(sandbox.counts).toEqual({
			tokens: {},
			tokenRequests: {},
			data: {},
			dataRequests: 0,
			credits: 0,
			creditsBy: {},
			maxInFlight: {},
		});
	});
});

describe('the log', () => {
	it('says who asked for what with which token, and never the token or the secret', async () => {
		await tokenRequest(sandbox, sandbox.leadsClient);
		const headers = await bearer(sandbox, sandbox.leadsClient);
		const from = seconds(sandbox.now());
		await leads(headers, `?from-time=${from}&to-time=${from}`);

		const [first, second, data] = sandbox.requests;

		expect(first).toMatchObject({ clientId: 'leads-client', status: 200, tokenIndex: 1 });
		expect(second).toMatchObject({ path: '/auth/oauth2/token', query: {}, tokenIndex: 2 });
		expect(data).toEqual({
			at: expect.any(Number),
			method: 'GET',
			path: '/leads-api/applicant-leads',
			query: { 'from-time': [from], 'to-time': [from] },
			clientId: 'leads-client',
			agencyRef: null,
			status: 200,
			tokenIndex: 2,
		});
		expect(Math.abs((data?.at ?? 0) - sandbox.now())).toBeLessThan(10_000);

		const misplaced = new URLSearchParams({ client_secret: sandbox.leadsClient.clientSecret });

		await request(`${sandbox.authUrl}/oauth2/token?${misplaced.toString()}`, { method: 'POST' });

		expect(sandbox.requests.at(-1)?.query).toEqual({});

		const text = JSON.stringify(sandbox.requests);

		expect(text).not.toContain(headers.Authorization?.replace('Bearer ', ''));
		expect(text).not.toContain(JSON.stringify(sandbox.leadsClient.clientSecret).slice(1, -1));
	});

	it('knows the agency, and an expired token', async () => {
		const headers = await bearer(sandbox, sandbox.inventoryClient);
		sandbox.revokeTokens('inventory-client');

		await request(`${sandbox.inventoryUrl}/inventory`, {
			headers: { ...headers, AgencyRef: OTHER_AGENCY },
		});

		expect(sandbox.requests.at(-1)).toMatchObject({
			clientId: 'inventory-client',
			agencyRef: OTHER_AGENCY,
			status: 401,
			tokenIndex: 1,
		});
	});

	it('is bounded', () => {
		const entry = sandbox.journal.requests;

		for (let index = 0; index < 10_050; index++) {
			const logged = { at: index, method: 'GET', path: '/', query: {}, clientId: null };
			sandbox.journal.open(
				{ ...logged, agencyRef: null, status: null, tokenIndex: null },
				'/',
				'data',
			)(200);
		}

		expect(entry).toHaveLength(10_000);
		expect(entry[0]?.at).toBe(50);
	});
});

describe('waiting', () => {
	it('ends with a request that comes, or is there', async () => {
		const headers = await bearer(sandbox, sandbox.leadsClient);
		const waiting = sandbox.waitForRequest(
			({ path, status }) => path.endsWith('leads') && status === 200,
		);
		await leads(headers);

		const seen = await waiting;

		expect(seen.path).toBe('/leads-api/applicant-leads');
		expect(await sandbox.waitForRequest((each) => each === seen)).toBe(seen);
	});

	it('ends with a count', async () => {
		const headers = await bearer(sandbox, sandbox.leadsClient);
		const waiting = sandbox.waitForCount(({ dataRequests }) => dataRequests, 3);
		await Promise.all([leads(headers), leads(headers), leads(headers)]);

		expect(await waiting).toBe(3);
	});

	it('ends in time, saying what came instead', async () => {
		await leads({});

		await expect(sandbox.waitForRequest(() => false, { timeoutMs: 10 })).rejects.toThrow(
			'no request within 10 ms; last: GET /leads-api/applicant-leads 401',
		);
		await expect(
			sandbox.waitForCount(({ credits }) => credits, 1, { timeoutMs: 10 }),
		).rejects.toThrow('no count of 1 within 10 ms');
	});
});
