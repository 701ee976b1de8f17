import { once } from 'node:events';
import { createServer } from 'node:http';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { LeadsBench, shortenBackoff, visibleText } from './harness/leads';

let bench: LeadsBench;

beforeEach(async () => {
	shortenBackoff();
	bench = await LeadsBench.start();
	bench.sandbox.addLead('applicant');
});

afterEach(async () => {
	jest.useRealTimers();
	jest.restoreAllMocks();
	await bench.stop();
});

const statuses = () => bench.dataRequests.map(({ status }) => status);

describe('a token', () => {
	it('is stored in the credential and serves later runs', async () => {
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.stored.accessToken).toEqual(expect.any(String));
		expect(bench.stored.tokenExpiresAt).toBeGreaterThan(Date.now());
		await bench.run();
		expect(bench.tokens).toBe(1);
	});

	it('is shared by 30 runs that start together from cold', async () => {
		const runs = await Promise.all(Array.from({ length: 30 }, async () => await bench.run()));
		expect(runs.filter(({ items }) => items.length === 1)).toHaveLength(30);
		expect(bench.tokenRequests).toHaveLength(1);
	});

	it('is used for its whole lifetime, then replaced before a request is wasted', async () => {
		bench.sandbox.updateClient(bench.clientId, { tokenLifetime: 600 });
		const start = Date.now();
		bench.setClock(start);
		await bench.run();
		bench.setClock(start + 599_000);
		await bench.run();
		expect(bench.tokens).toBe(1);
		bench.setClock(start + 600_001);
		await bench.run();
		expect(bench.tokens).toBe(2);
		expect(statuses()).toEqual([200, 200, 200]);
	});

	it.each([
		['missing', undefined],
		['text', 'soon'],
		['zero', 0],
		['negative', -5],
		['null', null],
	])('with a lifetime that is %s is used until it is refused', async (_, expiresIn) => {
		bench.sandbox.updateClient(bench.clientId, { expiresIn });
		await bench.run();
		bench.setClock(Date.now() + 3_000_000);
		await bench.run();
		expect(bench.tokens).toBe(1);
		bench.sandbox.revokeTokens(bench.clientId);
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.tokens).toBe(2);
	});

	it.each([401, 403] as const)(
		'that was revoked and is answered %d is replaced once',
		async (status) => {
			bench.sandbox.updateClient(bench.clientId, { rejectTokenWith: status });
			await bench.run();
			bench.sandbox.revokeTokens(bench.clientId);
			expect((await bench.run()).items).toHaveLength(1);
			expect(bench.tokens).toBe(2);
			expect(statuses()).toEqual([200, status, 200]);
		},
	);

	it('that was just issued and is refused once is replaced, too', async () => {
		bench.sandbox.faults.add({ path: '/applicant-leads', kind: 'status', status: 401 });
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.tokens).toBe(2);
	});

	it('is asked for once when many requests of one run are refused together', async () => {
		const branches = Array.from({ length: 12 }, (_, index) => `branch-${index}`);
		bench.sandbox.updateClient(bench.clientId, { branches });
		const parameters = { filterBy: 'branch', filterId: branches.join(',') };
		await bench.run(parameters);
		bench.sandbox.revokeTokens(bench.clientId);
		expect((await bench.run(parameters)).error).toBeUndefined();
		expect(bench.tokens).toBe(2);
	});

	it('is written to the credential once, however many requests a run sends', async () => {
		const { error } = await bench.run({
			period: 'recent',
			recentAmount: 12,
			recentUnit: 'days',
		});
		expect(error).toBeUndefined();
		expect(bench.dataRequests).toHaveLength(12);
		expect(bench.credentials.updates).toBe(1);
	});

	it('that is refused for good costs one more, not one an item', async () => {
		bench.sandbox.faults.add({
			path: '/applicant-leads',
			kind: 'status',
			status: 401,
			times: Infinity,
		});
		const input = Array.from({ length: 10 }, () => ({ json: {} }));
		const { items } = await bench.run({}, { input, onError: 'continueRegularOutput' });
		expect(items).toHaveLength(10);
		expect(bench.tokens).toBe(2);
	});

	it('remembered from an earlier run and revoked as well is not the last word', async () => {
		await bench.run();
		const ofAnotherWorker = { ...bench.stored };
		bench.sandbox.revokeTokens(bench.clientId);
		await bench.run();
		Object.assign(bench.stored, ofAnotherWorker);
		bench.sandbox.revokeTokens(bench.clientId);
		bench.sandbox.resetCounts();
		expect((await bench.run()).items).toHaveLength(1);
		expect(statuses()).toEqual([401, 401, 200]);
		expect(bench.tokens).toBe(1);
	});

	it.each(['clientSecret', 'clientId', 'audience', 'leadsUrl', 'authUrl'])(
		'of another %s is never used',
		async (field) => {
			const { sandbox } = bench;
			const audience = sandbox.leadsUrl;
			bench.stored.audience = audience;
			await bench.run();
			const changed = {
				clientSecret: 'rotated secret',
				clientId: 'other-client',
				audience: 'https://other.example.com',
				leadsUrl: `${sandbox.url}/./leads-api`,
				authUrl: `${sandbox.url}/./auth`,
			}[field];
			const { clientSecret } = sandbox.leadsClient;
			sandbox.addClient({ integration: 'leads', clientId: 'other-client', clientSecret });
			sandbox.updateClient('leads-client', {
				...(field === 'clientSecret' && { clientSecret: changed }),
				...(field === 'audience' && { audience: changed }),
			});
			sandbox.resetCounts();
			Object.assign(bench.stored, { [field]: changed });
			await bench.run();
			expect(bench.tokens).toBe(1);
			expect(statuses()).toEqual([200]);
		},
	);

	it('stays while only white space and slashes around the fields change', async () => {
		await bench.run();
		const { leadsClient, leadsUrl } = bench.sandbox;
		Object.assign(bench.stored, {
			clientId: ` ${leadsClient.clientId}\n`,
			leadsUrl: `${leadsUrl}//`,
		});
		await bench.run();
		expect(bench.sandbox.counts.tokens).toEqual({ 'leads-client': 1 });
	});
});

describe('a real refusal', () => {
	beforeEach(() => {
		bench.sandbox.updateClient(bench.clientId, { permitted: false, tokenLifetime: 600 });
	});

	it('costs one extra token per token lifetime, however often it is met', async () => {
		for (let run = 0; run < 5; run++) await bench.run();
		expect(bench.tokens).toBe(2);
		bench.setClock(Date.now() + 601_000);
		for (let run = 0; run < 3; run++) await bench.run();
		expect(bench.tokens).toBe(4);
	});

	it('costs one extra token also when many requests meet it together', async () => {
		const runs = await Promise.all(Array.from({ length: 10 }, async () => await bench.run()));
		expect(runs.every(({ error }) => error?.httpCode === '403')).toBe(true);
		expect(bench.tokens).toBe(2);
	});

	it('is one also where this process still remembers a token that is used up', async () => {
		bench.sandbox.updateClient(bench.clientId, { permitted: true });
		await bench.run();
		bench.setClock(Date.now() + 601_000);
		const { clientId, clientSecret } = bench.sandbox.leadsClient;
		const token = bench.sandbox.tokens.issue(bench.sandbox.clients.get(clientId));
		Object.assign(bench.stored, {
			clientSecret,
			accessToken: token.value,
			tokenExpiresAt: Date.now() + 600_000,
			tokenIssuedAt: Date.now(),
		});
		bench.sandbox.updateClient(bench.clientId, { permitted: false });
		bench.sandbox.resetCounts();
		for (let run = 0; run < 3; run++) await bench.run();
		expect(bench.tokens).toBe(1);
	});

	it('is none where the same was granted with this very token before', async () => {
		bench.sandbox.updateClient(bench.clientId, { permitted: true, rejectTokenWith: 403 });
		for (let revocation = 1; revocation <= 3; revocation++) {
			await bench.run();
			bench.sandbox.revokeTokens(bench.clientId);
			expect((await bench.run()).error).toBeUndefined();
			expect(bench.tokens).toBe(revocation + 1);
		}
	});

	it('of appraisals costs no token a run while applicants are granted', async () => {
		bench.sandbox.updateClient(bench.clientId, { permitted: true, branches: ['1', '2'] });
		bench.sandbox.faults.add({
			path: '/appraisal-leads',
			kind: 'status',
			status: 403,
			times: Infinity,
		});
		for (let run = 0; run < 3; run++) {
			const granted = await bench.run({ filterBy: 'branch', filterId: '1' });
			expect(granted.error).toBeUndefined();
			const refused = await bench.run({
				resource: 'appraisalLead',
				filterBy: 'branch',
				filterId: '1',
			});
			expect(refused.error?.httpCode).toBe('403');
		}
		expect(bench.tokens).toBe(2);
	});

	it('is settled for an hour where the token names no lifetime, not for ever', async () => {
		bench.sandbox.updateClient(bench.clientId, { expiresIn: undefined, tokenLifetime: 1e6 });
		for (let run = 0; run < 3; run++) await bench.run();
		expect(bench.tokens).toBe(2);
		bench.setClock(Date.now() + 3_601_000);
		await bench.run();
		expect(bench.tokens).toBe(3);
	});

	it('says what to do, and that waiting does not help', async () => {
		const { error } = await bench.run();
		expect(error?.message).toBe('The service refused access (403)');
		expect(error?.description).toContain('Ask the operator of the service to allow this client');
		expect(error?.failure).toEqual({ cause: 'credential-invalid' });
	});
});

describe('the token request', () => {
	it.each([
		['429', { kind: 'status', status: 429 }],
		['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }],
		['500', { kind: 'status', status: 500 }],
		['503', { kind: 'status', status: 503 }],
		['a reset', { kind: 'reset' }],
		['an answer cut off', { kind: 'truncate' }],
		['an answer whose JSON stops', { kind: 'cutJson' }],
	] as const)('is repeated after %s', async (_, fault) => {
		bench.sandbox.faults.add({ path: '/oauth2/token', ...fault });
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.tokenRequests).toHaveLength(2);
		expect(statuses()).toEqual([200]);
	});

	it('keeps to the limits of the node, which do not multiply', async () => {
		bench.sandbox.faults.add({
			path: '/oauth2/token',
			kind: 'status',
			status: 429,
			times: Infinity,
		});
		const { error } = await bench.run({ options: { maxTries: 3 } });
		expect(bench.tokenRequests).toHaveLength(3);
		expect(error?.message).toBe('The service is too busy to hand out a token (429)');
		expect(error?.description).toContain('It was tried 3 times');
		expect(error?.failure).toEqual({ cause: 'rate-limited' });
	});

	it('goes on for a run that may try more often than the one it shared it with', async () => {
		bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'latency', ms: 50, times: 2 });
		bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'status', status: 503 });
		const [hasty, patient] = await Promise.all([
			bench.run({ options: { maxTries: 1 } }),
			bench.run(),
		]);
		expect(hasty.error?.httpCode).toBe('503');
		expect(patient.items).toHaveLength(1);
	});

	it('that fails for all who share it fails each of them with its own words', async () => {
		bench.stored.clientSecret = 'wrong';
		bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'latency', ms: 200 });
		const runs = await Promise.all(Array.from({ length: 5 }, async () => await bench.run()));
		for (const { error } of runs) {
			expect(error?.message).toBe('The service refused the client ID and client secret');
			expect(error?.failure).toEqual({ cause: 'credential-invalid' });
		}
		expect(bench.tokenRequests).toHaveLength(1);
		expect(bench.dataRequests).toHaveLength(0);
	});

	it.each([
		['clientId', '', 'Client ID'],
		['clientSecret', '  ', 'Client Secret'],
		['authUrl', 'auth.example.com', 'Auth URL'],
		['leadsUrl', 'https://user:pass@example.com', 'Leads URL'],
		['leadsUrl', 'ftp://example.com', 'Leads URL'],
	])('is not sent while %s is “%s”', async (field, value, label) => {
		bench.stored[field] = value;
		const { error } = await bench.run();
		expect(error?.message).toContain(`“${label}”`);
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});

describe('secrets', () => {
	it('do not follow a redirect', async () => {
		const elsewhere = createServer((_, response) => {
			response.writeHead(307, { location: `${bench.sandbox.authUrl}/oauth2/token` }).end();
		}).listen(0, '127.0.0.1');
		await once(elsewhere, 'listening');
		const address = elsewhere.address();
		const port = typeof address === 'object' ? address?.port : undefined;
		bench.stored.authUrl = `http://127.0.0.1:${port}`;
		const { error } = await bench.run();
		elsewhere.close();
		expect(error?.message).toBe('The service redirects elsewhere (307)');
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	it('appear in no error, whatever fails', async () => {
		const faults = [
			{ path: '/oauth2/token', kind: 'status', status: 401 },
			{ path: '/oauth2/token', kind: 'status', status: 500, times: Infinity },
			{ path: '/oauth2/token', kind: 'reset', times: Infinity },
			{ path: '/oauth2/token', kind: 'html' },
			{ path: '/applicant-leads', kind: 'status', status: 401, times: 2 },
			{ path: '/applicant-leads', kind: 'status', status: 429, times: Infinity },
			{ path: '/applicant-leads', kind: 'reset', times: Infinity },
			{ path: '/applicant-leads', kind: 'html' },
		] as const;
		for (const fault of faults) {
			bench.sandbox.faults.clear();
			bench.sandbox.faults.add(fault);
			if (fault.path === '/oauth2/token') bench.stored.accessToken = '';
			bench.sandbox.updateClient(bench.clientId, { clientSecret: `s3cret-${fault.kind}-é+ %` });
			bench.stored.clientSecret = `s3cret-${fault.kind}-é+ %`;
			const run = await bench.run({ options: { maxTries: 2 } });
			expect(run.error).toBeDefined();
			const text = visibleText(run);
			expect(text).not.toContain('s3cret');
			for (const token of bench.sandbox.tokens.byValue.keys()) expect(text).not.toContain(token);
		}
	});
});
