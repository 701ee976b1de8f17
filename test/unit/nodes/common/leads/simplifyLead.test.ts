import { describe, expect, it } from '@jest/globals';

import { leadJson } from '../../../../../nodes/common/leads/simplifyLead';

describe('a simplified lead', () => {
	it('is the same set of fields, however little the service sent', () => {
		const full = leadJson(
			{
				id: 'a1',
				createdAt: '2026-06-07T17:32Z',
				contact: { firstName: 'Ada', lastName: 'Fern', email: 'ada@example.com' },
				listingDetails: {
					url: 'https://www.example.com/1',
					pricing: { price: 250_000 },
					address: { propertyNumberOrName: '7', streetName: 'Mill Lane', postcode: 'AB1 2CD' },
				},
			},
			'applicant',
			true,
		);

		expect(full).toMatchObject({
			leadType: 'applicant',
			id: 'a1',
			createdAt: '2026-06-07T17:32:00Z',
			firstName: 'Ada',
			price: 250_000,
			propertyAddress: '7 Mill Lane, AB1 2CD',
			message: null,
		});
		expect(Object.keys(leadJson({}, 'applicant', true))).toEqual(Object.keys(full));
		expect(leadJson({ contact: null }, 'appraisal', true).firstName).toBeNull();
	});

	it('of an owner has the estimate and the address of the property', () => {
		const lead = {
			propertyDetails: { address: { line1: '1 Hill', town: 'Ashby' }, estimate: { value: 9 } },
		};

		expect(leadJson(lead, 'appraisal', true)).toMatchObject({
			leadType: 'appraisal',
			propertyAddress: '1 Hill, Ashby',
			estimatedValue: 9,
		});
	});
});
