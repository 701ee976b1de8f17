import { beforeEach, describe, expect, it } from '@jest/globals';

import { MINUTE_MS } from '../../../../service/basics/times';
import { LeadsBench } from '../../../lab/engine/leads';
import { anotherProcess } from '../../../lab/engine/restart';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
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

	it('that was just issued and is refused once is replaced as well', async () => {
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

	it('is written to the credential by those that depart before it is there, however many follow', async () => {
		const branches = Array.from({ length: 12 }, (_, index) => `b${index}`);
		bench.sandbox.updateClient(bench.clientId, { branches });

		const { error } = await bench.run({ filterBy: 'branch', filterId: branches.join(',') });

		expect(error).toBeUndefined();
		expect(bench.dataRequests).toHaveLength(12);
		expect(bench.credentials.updates).toBe(4);
		expect(bench.tokens).toBe(1);
	});

	it('that is refused for good costs one more token, not one an item', async () => {
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

	it('that an earlier run left in memory, and that was revoked as well, gives way to a new one', async () => {
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

	it('is kept if only white space and slashes around the fields change', async () => {
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
			[5 * MINUTE_MS - 1, 2],
			[5 * MINUTE_MS, 3],
			[10 * MINUTE_MS - 1, 3],
			[10 * MINUTE_MS, 4],
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
		bench.setClock(Date.now() + 5 * MINUTE_MS);
		const run = await anotherProcess(bench);

		expect((await run()).items).toHaveLength(1);
		expect((await run()).items).toHaveLength(1);
		expect(bench.tokens).toBe(3);
	});

	it('costs one extra token even if many requests meet it together', async () => {
		const runs = await Promise.all(Array.from({ length: 10 }, async () => await bench.run()));

		expect(runs.every(({ error }) => error?.httpCode === '403')).toBe(true);
		expect(bench.tokens).toBe(2);
	});

	it('is one even if this process still remembers an expired token', async () => {
		bench.sandbox.updateClient(bench.clientId, { permitted: true });
		await bench.run();
		bench.setClock(Date.now() + 601_000);
		const { clientId, clientSecret } = bench.sandbox.leadsClient;
		const token = bench.sandbox.tokens.issue(bench.sandbox.clients.get(clientId));
		Object.assign(bench.stored, {
			clientSecret,
			accessToken: token.value,
			tokenExpiresAt: Date.now() + 600_000,
		});
		bench.sandbox.updateClient(bench.clientId, { permitted: false });
		bench.sandbox.resetCounts();

		for (let run = 0; run < 3; run++) await bench.run();

		expect(bench.tokens).toBe(1);
	});

	it('may be a revocation: the first one is cured at once, a second one after five minutes', async () => {
		const start = Date.now();
		bench.setClock(start);
		bench.sandbox.updateClient(bench.clientId, { permitted: true, rejectTokenWith: 403 });
		await bench.run();

		bench.sandbox.revokeTokens(bench.clientId);
		expect((await bench.run()).error).toBeUndefined();
		bench.sandbox.revokeTokens(bench.clientId);
		expect((await bench.run()).error?.httpCode).toBe('403');
		expect(bench.tokens).toBe(2);

		bench.setClock(start + 5 * MINUTE_MS);
		expect((await bench.run()).error).toBeUndefined();
		expect(bench.tokens).toBe(3);
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
		expect(error?.description).toContain(
			'Ask the operator of the service to give this client ID access to leads',
		);
		expect(error?.failure).toEqual({ cause: 'credential-invalid' });
	});
});
