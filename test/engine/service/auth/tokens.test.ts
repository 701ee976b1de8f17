import { beforeEach, describe, expect, it } from '@jest/globals';

import { MINUTE_MS } from '../../../../service/basics/times';
import { LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
});

const statuses = () => bench.dataRequests.map(({ status }) => status);

describe('a token', () => {
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
});
