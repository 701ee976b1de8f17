import { beforeEach, describe, expect, it } from '@jest/globals';

import { DAY, HOUR, idsOf, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

describe('limit and order', () => {
	beforeEach(() => {
		bench.setTime('2026-06-30T12:00:00Z');
		for (let day = 0; day < 10; day++) {
			bench.submit(`day-${day}-late`, day * DAY + HOUR);
			bench.submit(`day-${day}-early`, day * DAY + 2 * HOUR);
		}
	});

	const tenDays = { period: 'recent', recentAmount: 10, recentUnit: 'days' };

	it('returns the newest first and asks no further back than the limit needs', async () => {
		const run = await bench.run({ ...tenDays, limit: 3 });

		expect(idsOf(run)).toEqual(['day-0-late', 'day-0-early', 'day-1-late']);
		expect(bench.dataRequests.length).toBeLessThanOrEqual(5);
	});

	it('returns all where that is asked for', async () => {
		const run = await bench.run({ ...tenDays, returnAll: true });

		expect(run.items).toHaveLength(20);
		expect(idsOf(run).slice(-1)).toEqual(['day-9-early']);
		expect(bench.dataRequests).toHaveLength(3);
	});

	it('puts leads without a time last', async () => {
		bench.sandbox.addLead('applicant', { id: 'unset', createdAt: '0001-01-01T00:00Z' });

		const run = await bench.run({ returnAll: true });

		expect(idsOf(run)).toEqual(['day-0-late', 'day-0-early', 'unset']);
		expect(run.items.at(-1)?.json.createdAt).toBeNull();
	});
});

describe('the output', () => {
	it('is a flat lead with the type', async () => {
		bench.sandbox.addLead('appraisal', { id: 'a1', contact: { firstName: 'Ada' } });

		const [item] = (await bench.run({ resource: 'appraisalLead' })).items;

		expect(item?.json).toMatchObject({ leadType: 'appraisal', id: 'a1', firstName: 'Ada' });
		expect(Object.values(item?.json ?? {}).filter((value) => typeof value === 'object')).toEqual(
			Object.values(item?.json ?? {}).filter((value) => value === null),
		);
	});

	it('is simplified or not as a text says too', async () => {
		bench.submit('one', HOUR);
		const keys = async (simplify: string) =>
			Object.keys((await bench.run({ simplify })).items[0]?.json ?? {});

		expect(await keys('={{ "true" }}')).toContain('firstName');
		expect(await keys('={{ "False" }}')).not.toContain('firstName');

		const { error } = await bench.run({ simplify: '={{ "no" }}' });

		expect(error?.message).toBe('“Simplify” is neither true nor false');
	});

	it('is 50 leads by default, even if an expression says whether to return all', async () => {
		for (let number = 1; number <= 51; number++) bench.submit(`lead ${number}`, HOUR);

		const { items } = await bench.run({ returnAll: '={{ false }}' });

		expect(items).toHaveLength(50);
	});

	it('is everything the service sent where it is not simplified, unknown fields included', async () => {
		const lead = bench.sandbox.addLead(
			'applicant',
			{
				id: 'a1',
				enquiryType: 'ENQUIRY_TYPE_AUCTION',
				novelty: { nested: [1] },
				leadType: 'portal',
			},
			{ isOdd: true },
		);

		const [item] = (await bench.run({ simplify: false })).items;

		expect(item?.json).toEqual({ ...lead, leadType: 'applicant' });

		const [simple] = (await bench.run()).items;

		expect(simple?.json.enquiryType).toBe('ENQUIRY_TYPE_AUCTION');
	});

	it('is empty where there are no leads', async () => {
		const run = await bench.run();

		expect(run.error).toBeUndefined();
		expect(run.items).toEqual([]);
	});

	it('belongs to the input item that asked for it', async () => {
		bench.submit('x', HOUR);
		const input = [{ json: {} }, { json: {} }];

		const run = await bench.run({}, { input });

		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});
});
