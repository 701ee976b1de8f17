import { beforeEach, describe, expect, it } from '@jest/globals';

import { idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

describe('the filter', () => {
	beforeEach(() => {
		const branches = Array.from({ length: 10 }, (_, index) => `b${index}`);
		bench.sandbox.updateClient(bench.clientId, { branches });
		for (const branchId of branches) {
			bench.sandbox.addLead('applicant', { id: `of-${branchId}` }, { branchId });
		}
	});

	it('takes one request an id, a few at once, and merges', async () => {
		bench.sandbox.faults.add({
			path: '/applicant-leads',
			kind: 'latency',
			ms: 30,
			times: Infinity,
		});

		const run = await bench.run({ filterBy: 'branch', filterId: 'b1, b2,b3 ,b4,b5,b6,b7,b2' });

		expect(idsOf(run).sort()).toEqual(
			['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'].map((b) => `of-${b}`),
		);
		expect(bench.dataRequests.map(({ query }) => query['branch-id'])).toHaveLength(7);
		expect(Math.max(...Object.values(bench.sandbox.counts.maxInFlight))).toBeLessThanOrEqual(4);
	});

	it('accepts a number and a list from an expression', async () => {
		bench.sandbox.updateClient(bench.clientId, { branches: ['101', '102'] });
		await bench.run({ filterBy: 'branch', filterId: '={{ 101 }}' });

		await bench.run({ filterBy: 'branch', filterId: '={{ [101, "102"] }}' });

		expect(bench.dataRequests.map(({ query }) => query['branch-id']?.[0]).sort()).toEqual([
			'101',
			'101',
			'102',
		]);
	});
});
