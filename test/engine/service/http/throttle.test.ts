import { describe, expect, it } from '@jest/globals';

import { idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';
import type { Limit } from '../../../lab/limitedServer';
import { startLimited } from '../../../lab/limitedServer';

const bench = useBench(LeadsBench);

/** A service that nobody has asked before, and that the credential leads to. */
async function serviceWith(limit: Partial<Limit>) {
	const usual = {
		perSecond: 1_000,
		counts: 'the last second',
		saysWhen: false,
		latencyMs: 0,
	} as const;
	const { url, ...service } = await startLimited({ ...usual, ...limit });
	Object.assign(bench.stored, { authUrl: url, leadsUrl: url, audience: url });
	return service;
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
		const { seen, stop } = await serviceWith({ perSecond: 20, counts, saysWhen });

		const run = await bench.run(branches(1, 40));
		await stop();

		expect(run.error).toBeUndefined();
		expect(new Set(idsOf(run)).size).toBe(40);
		expect(seen.taken).toHaveLength(40);
		expect(seen.refused).toBeLessThan(20);
		expect(seen.tokens).toBe(1);
	});
});
