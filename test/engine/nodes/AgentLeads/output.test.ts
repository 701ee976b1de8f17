import { describe, expect, it } from '@jest/globals';

import { HOUR, LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

describe('the output', () => {
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

		expect(simple?.json.enquiryType).toBe('Auction');
	});
});
