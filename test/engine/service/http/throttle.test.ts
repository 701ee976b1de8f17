import { describe, expect, it } from '@jest/globals';

import { Dripping } from '../../../lab/dripping';
import { idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';
import type { Limit } from '../../../lab/limitedServer';
import { LimitedServer } from '../../../lab/limitedServer';
import { useInEach } from '../../../lab/standIn';

const bench = useBench(LeadsBench);
const server = useInEach(async () => await LimitedServer.start());
const dripping = useInEach(async () => await Dripping.start(bench.sandbox.port));

/** A service that nobody has asked before, and that the credential leads to. */
function serviceWith(limit: Partial<Limit>) {
	const usual = {
		perSecond: 1_000,
		counts: 'the last second',
		saysWhen: false,
		latencyMs: 0,
	} as const;
	const { url, seen } = server.add({ ...usual, ...limit });
	Object.assign(bench.stored, { authUrl: url, leadsUrl: url, audience: url });
	return seen;
}

function branches(first: number, count: number, options = {}) {
	const ids = Array.from({ length: count }, (_, index) => String(first + index));
	return { filterBy: 'branch', filterId: ids.join(','), returnAll: true, simplify: false, options };
}

describe('a service that counts', () => {
	it.each([
		['the last second', true],
		['the last second', false],
		['each second', true],
		['each second', false],
	] as const)('%s, with Retry-After: %s, answers all in the end', async (counts, saysWhen) => {
		const seen = serviceWith({ perSecond: 20, counts, saysWhen });

		const run = await bench.run(branches(1, 40));

		expect(run.error).toBeUndefined();
		expect(new Set(idsOf(run)).size).toBe(40);
		expect(seen.taken).toHaveLength(40);
		expect(seen.refused).toBeLessThan(20);
		expect(seen.tokens).toBe(1);
	});
});

describe('requests at once', () => {
	it('are 4 at first for all executions together', async () => {
		const seen = serviceWith({ latencyMs: 50 });

		await Promise.all([bench.run(branches(1, 4)), bench.run(branches(5, 4))]);

		expect(seen.taken).toHaveLength(8);
		expect(seen.most).toBeLessThanOrEqual(5);
	});

	it('are more once all went well', async () => {
		const seen = serviceWith({ latencyMs: 50 });

		await bench.run(branches(1, 40));

		expect(seen.most).toBeGreaterThan(5);
		expect(seen.most).toBeLessThanOrEqual(16);
	});

	it('are no more than the node allows', async () => {
		const seen = serviceWith({ latencyMs: 20 });

		await bench.run(branches(1, 12, { requestsAtOnce: 2 }));

		expect(seen.taken).toHaveLength(12);
		expect(seen.most).toBe(2);
	});

	it.each([0, 17, 1.5, 'many'])(
		'cannot be %s, and nothing is sent then',
		async (requestsAtOnce) => {
			const { error } = await bench.run({ options: { requestsAtOnce } });

			expect(error?.message).toContain('“Requests at Once” must be a whole number');
			expect(bench.sandbox.requests).toEqual([]);
		},
	);
});

describe('a cancelled execution', () => {
	it('ends at once, and what waited for its turn is not sent', async () => {
		const { authUrl, leadsUrl } = bench.sandbox;
		const addresses = { authUrl, leadsUrl: dripping.urlOf(leadsUrl), audience: leadsUrl };
		Object.assign(bench.stored, addresses);
		dripping.drip(/-leads/, 'nothing', 4);
		const { run, cancel } = bench.start(branches(1, 12));
		const underWay = [];
		for (let count = 0; count < 4; count++) underWay.push(await dripping.next());
		cancel();

		expect((await run).status).toBe('canceled');

		await Promise.all(underWay.map(async ({ closed }) => await closed));

		expect(dripping.passed).toEqual([]);
	});
});
