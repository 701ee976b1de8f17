import { beforeEach, describe, expect, it } from '@jest/globals';

import { MINUTE_MS } from '../../../../service/basics/times';
import { LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { useBench } from '../../../lab/engine/useBench';
import { strings } from '../../../lab/strings';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant');
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

		const [first, ...others] = new Set(
			strings(items.map(({ json }) => json.message)).map((text) => text.split(' See https://')[0]),
		);

		expect(first).toMatch(/^The service’s code is invalid_client\. .* test it there\.$/);
		expect(others).toEqual([
			`${first} The service said so ${AGAIN}. It is asked again after that time, or at once if you correct the credential or its test passes.`,
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
		bench.setClock(start + 5 * MINUTE_MS - 1);

		expect((await bench.run()).error?.description).toContain(AGAIN);
		expect(bench.tokenRequests).toHaveLength(1);

		bench.setClock(start + 5 * MINUTE_MS);
		expect((await bench.run()).items).toHaveLength(1);
	});

	it('that is refused again is not sent for another five minutes', async () => {
		const start = Date.now();
		bench.setClock(start);
		await bench.run();
		bench.setClock(start + 5 * MINUTE_MS);

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

	it('costs parallel calls one token request together', async () => {
		const runs = await Promise.all(Array.from({ length: 10 }, async () => await bench.run()));

		for (const { error } of runs) {
			expect(error?.message).toBe('The service refused the client ID and client secret');
		}
		expect(bench.tokenRequests).toHaveLength(1);
	});

	it('that is good again lets a trigger go on', async () => {
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
			bench.setClock(start + minute * MINUTE_MS);
			const { message } = await trigger.failure(trigger.tick());
			expect(message).toBe('The service refused the client ID and client secret');
		}
		expect(bench.tokenRequests).toHaveLength(asked + 1);

		again();
		const { id } = bench.sandbox.addLead('applicant');
		bench.setClock(start + 6 * MINUTE_MS);
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

	it('is something else than a mistake in the fields, which works at once when it is corrected', async () => {
		again();
		const { clientSecret } = bench.sandbox.leadsClient;
		bench.stored.clientSecret = 'two\nlines';

		expect((await bench.run()).error?.message).toBe(
			'“Client Secret” has more than one line; a secret has only one',
		);

		bench.stored.clientSecret = clientSecret;
		expect((await bench.run()).items).toHaveLength(1);
	});
});
