import { beforeEach, describe, expect, it } from '@jest/globals';

import { LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
});

const statuses = () => bench.dataRequests.map(({ status }) => status);

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
		expect(error?.message).toBe('The service is too busy to issue a token (429)');
		expect(error?.description).toContain('Tried 3 times');
		expect(error?.failure).toEqual({ cause: 'rate-limited' });
	});

	it('is made again for a run that may try more often than the run it shared it with', async () => {
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
