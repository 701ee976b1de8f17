import { once } from 'node:events';
import { createServer } from 'node:http';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { LeadsBench, shortenBackoff, visibleText } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { anotherProcess } from '../../../lab/engine/restart';

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

const MINUTE = 60_000;

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
		const { leadsClient, leadsUrl, authUrl } = bench.sandbox;
		bench.stored.audience = leadsUrl;
		await bench.run();
		Object.assign(bench.stored, {
			clientId: ` ${leadsClient.clientId}\n`,
			clientSecret: `\ufeff${leadsClient.clientSecret}\u200b\r\n`,
			leadsUrl: `${leadsUrl}//`,
			authUrl: `${authUrl}/oauth2/token/`,
		});
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.sandbox.counts.tokens).toEqual({ 'leads-client': 1 });
	});
});

describe('a real refusal', () => {
	beforeEach(() => {
		bench.sandbox.updateClient(bench.clientId, { permitted: false, tokenLifetime: 600 });
	});

	it('costs one extra token in five minutes, however often it is met', async () => {
		const start = Date.now();
		bench.setClock(start);
		for (let run = 0; run < 5; run++) await bench.run();
		expect(bench.tokens).toBe(2);
		for (const [ms, tokens] of [
			[5 * MINUTE - 1, 2],
			[5 * MINUTE, 3],
			[10 * MINUTE - 1, 3],
			[10 * MINUTE, 4],
		] as const) {
			bench.setClock(start + ms);
			for (let run = 0; run < 3; run++) await bench.run();
			expect(bench.tokens).toBe(tokens);
		}
	});

	it('costs the same however many processes meet it, and however often n8n is restarted', async () => {
		for (let run = 0; run < 5; run++) await bench.run();
		for (let restart = 0; restart < 2; restart++) {
			const run = await anotherProcess(bench);
			for (let time = 0; time < 5; time++) expect((await run()).error?.httpCode).toBe('403');
		}
		expect(bench.tokens).toBe(2);
	});

	it('does not keep a revoked token for a process that has not used it', async () => {
		bench.setClock(Date.now());
		await bench.run();
		bench.sandbox.updateClient(bench.clientId, { permitted: true, rejectTokenWith: 403 });
		bench.sandbox.revokeTokens(bench.clientId);
		bench.setClock(Date.now() + 5 * MINUTE);
		const run = await anotherProcess(bench);
		expect((await run()).items).toHaveLength(1);
		expect((await run()).items).toHaveLength(1);
		expect(bench.tokens).toBe(3);
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

	it('is no longer one when the client gets its permission, with the same token', async () => {
		await bench.run();
		bench.sandbox.updateClient(bench.clientId, { permitted: true });
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.tokens).toBe(2);
	});

	it('says what to do, and that waiting does not help', async () => {
		const { error } = await bench.run();
		expect(error?.message).toBe('The service refused access (403)');
		expect(error?.description).toContain('Ask the operator of the service to allow this client');
		expect(error?.failure).toEqual({ cause: 'credential-invalid' });
	});
});

describe('a refused pair', () => {
	const input = Array.from({ length: 100 }, () => ({ json: {} }));
	const AGAIN = 'less than 5 minutes ago and was not asked again';

	beforeEach(() => {
		bench.sandbox.revokeClient(bench.clientId);
	});

	const again = () => {
		bench.sandbox.updateClient(bench.clientId, { revoked: false });
	};

	it('costs 100 items one token request, and all but the first say so', async () => {
		const { items } = await bench.run({}, { input, onError: 'continueRegularOutput' });
		expect(items).toHaveLength(100);
		expect(bench.tokenRequests).toHaveLength(1);
		const [first, ...others] = new Set(items.map(({ json }) => json.message));
		expect(first).toMatch(/^The service says: “client is not recognised” .* test it there\.$/);
		expect(others).toEqual([
			`${first as string} The service said so ${AGAIN}. It is asked again after that time, or at once if you correct the credential or its test passes.`,
		]);
		for (const { json } of items) {
			expect(json.error).toBe('The service refused the client ID and client secret');
		}
	});

	it('is a matter of this pair alone: a corrected one works at once', async () => {
		const { clientSecret } = bench.sandbox.leadsClient;
		bench.sandbox.addClient({ integration: 'leads', clientId: 'new', clientSecret: 'pair' });
		await bench.run();
		Object.assign(bench.stored, { clientId: 'new', clientSecret: 'pair' });
		expect((await bench.run()).items).toHaveLength(1);
		Object.assign(bench.stored, { clientId: 'leads-client', clientSecret, accessToken: '' });
		expect((await bench.run()).error?.description).toContain(AGAIN);
	});

	it('that is good again works after five minutes', async () => {
		const start = Date.now();
		bench.setClock(start);
		await bench.run();
		again();
		bench.setClock(start + 5 * MINUTE - 1);
		expect((await bench.run()).error?.description).toContain(AGAIN);
		expect(bench.tokenRequests).toHaveLength(1);
		bench.setClock(start + 5 * MINUTE);
		expect((await bench.run()).items).toHaveLength(1);
	});

	it('that is refused again is left alone for five minutes more', async () => {
		const start = Date.now();
		bench.setClock(start);
		await bench.run();
		bench.setClock(start + 5 * MINUTE);
		for (let run = 0; run < 3; run++) await bench.run();
		expect(bench.tokenRequests).toHaveLength(2);
	});

	it('that is good again works at once when its test passes, and not when it fails', async () => {
		await bench.run();
		expect(await bench.testCredential()).toMatchObject({ status: 'Error' });
		await bench.run();
		expect(bench.tokenRequests).toHaveLength(2);
		again();
		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect((await bench.run()).items).toHaveLength(1);
		expect(bench.tokenRequests).toHaveLength(4);
	});

	it('costs calls side by side one token request as well', async () => {
		const runs = await Promise.all(Array.from({ length: 10 }, async () => await bench.run()));
		for (const { error } of runs) {
			expect(error?.message).toBe('The service refused the client ID and client secret');
		}
		expect(bench.tokenRequests).toHaveLength(1);
	});

	it('does not keep a trigger from going on once it is good again', async () => {
		again();
		bench.sandbox.clearLeads();
		const trigger = new PollHost(bench, { leadTypes: ['applicant'] });
		const start = Date.now();
		bench.setClock(start);
		await trigger.activate();
		bench.sandbox.revokeClient(bench.clientId);
		bench.sandbox.revokeTokens(bench.clientId);
		const asked = bench.tokenRequests.length;
		for (let minute = 1; minute < 6; minute++) {
			bench.setClock(start + minute * MINUTE);
			const { message } = await trigger.failure(trigger.tick());
			expect(message).toBe('The service refused the client ID and client secret');
		}
		expect(bench.tokenRequests).toHaveLength(asked + 1);
		again();
		const { id } = bench.sandbox.addLead('applicant');
		bench.setClock(start + 6 * MINUTE);
		expect((await trigger.tick()).map((lead) => lead.id)).toEqual([id]);
	});

	describe('is not what this is:', () => {
		beforeEach(again);

		it.each([
			['429', { kind: 'status', status: 429 }],
			['500', { kind: 'status', status: 500 }],
			['a reset', { kind: 'reset' }],
			['an answer whose JSON stops', { kind: 'cutJson' }],
			['a web page', { kind: 'html' }],
			['a web page with 403', { kind: 'html', status: 403 }],
			['an empty 403', { kind: 'status', status: 403, body: 'empty' }],
			['a redirect', { kind: 'status', status: 302, body: 'empty' }],
			['a 404', { kind: 'status', status: 404 }],
		] as const)('%s', async (_, fault) => {
			bench.sandbox.faults.add({ path: '/oauth2/token', ...fault });
			expect((await bench.run({ options: { maxTries: 1 } })).error).toBeDefined();
			expect((await bench.run()).items).toHaveLength(1);
		});
	});

	describe('may also be', () => {
		beforeEach(again);

		it.each([
			['a 401 without a word', { kind: 'status', status: 401, body: 'empty' }],
			['a 400 with a code', { kind: 'status', status: 400 }],
			['a refused audience', { kind: 'status', status: 403 }],
		] as const)('%s', async (_, fault) => {
			bench.sandbox.faults.add({ path: '/oauth2/token', ...fault });
			const first = await bench.run();
			const second = await bench.run();
			expect(second.error?.message).toBe(first.error?.message);
			expect(second.error?.description).toContain(AGAIN);
			expect(bench.tokenRequests).toHaveLength(1);
		});
	});

	it('is not what a mistake in the fields is: mended, it works at once', async () => {
		again();
		const { clientSecret } = bench.sandbox.leadsClient;
		bench.stored.clientSecret = 'two\nlines';
		expect((await bench.run()).error?.message).toBe(
			'“Client Secret” holds more than one line, and a secret has one',
		);
		bench.stored.clientSecret = clientSecret;
		expect((await bench.run()).items).toHaveLength(1);
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

	it.each(['the one that began it', 'one that shares it'])(
		'goes on for the others when %s is cancelled',
		async (which) => {
			bench.sandbox.faults.add({ path: '/oauth2/token', kind: 'latency', ms: 500 });
			const first = bench.start();
			await bench.sandbox.waitForRequest(({ path }) => path.endsWith('/oauth2/token'));
			const second = bench.start();
			const [cancelled, other] = which.includes('began') ? [first, second] : [second, first];
			setImmediate(cancelled.cancel);
			await expect(cancelled.run).resolves.toMatchObject({ status: 'canceled' });
			expect((await other.run).items).toHaveLength(1);
			expect(bench.tokenRequests).toHaveLength(1);
		},
	);

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
		['leadsUrl', 'https://leads.example.com?', 'Leads URL'],
		['leadsUrl', 'https://leads.example.com/#', 'Leads URL'],
		['authUrl', 'https://auth.example.com\nhttps://leads.example.com', 'Auth URL'],
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
