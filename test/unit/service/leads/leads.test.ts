import { describe, expect, it } from '@jest/globals';

import { DEFAULT_QUERY_NAMES, fetchLeads } from '../../../../service/leads/fetchLeads';
import { leadKey, submittedAt } from '../../../../service/leads/lead';
import type { Session } from '../../../../service/session';
import { mapConcurrently } from '../../../../service/basics/concurrency';
import { leadJson } from '../../../../nodes/common/leads/simplifyLead';

describe('when a lead was submitted', () => {
	it.each([
		['2022-06-07T17:32:10Z', Date.UTC(2022, 5, 7, 17, 32, 10)],
		['2022-06-07T17:32Z', Date.UTC(2022, 5, 7, 17, 32)],
		['0001-01-01T00:00Z', undefined],
		['0001-01-01T00:00:00Z', undefined],
		['0001-01-01T00:00:00.123Z', undefined],
		['0000-12-31T13:00:00-11:00', undefined],
		['0001-01-01T14:00:00+14:00', undefined],
		['', undefined],
		['yesterday', undefined],
		[undefined, undefined],
		[1_654_623_130, undefined],
	])('%s is %s', (createdAt, expected) => {
		expect(submittedAt({ createdAt })).toBe(expected);
	});
});

describe('an answer', () => {
	const warnings: string[] = [];
	const read = async (body: object) => {
		const reading = { body: { ...body } };
		const session: Pick<Session, 'get' | 'warn'> = {
			get: async () => await Promise.resolve(reading),
			warn: (message) => warnings.push(message),
		};
		const request = { leadType: 'applicant', names: DEFAULT_QUERY_NAMES } as const;
		return await fetchLeads(session as Session, request);
	};

	it.each([
		[{ applicants: [{ id: 'a' }] }, 1],
		[{ applicants: [], total: 0 }, 0],
		[{ applicants: null, total: 0 }, 0],
		[{}, 0],
	])('%j holds %d', async (body, count) => {
		expect((await read(body)).leads).toHaveLength(count);
	});

	it('is read without the entries that are no leads, which are counted', async () => {
		const applicants = [null, { id: 'a' }, 'b', ['c'], { id: 'd' }, 5];
		expect((await read({ applicants })).leads).toEqual([{ id: 'a' }, { id: 'd' }]);
		expect(warnings).toEqual([
			'4 of 6 entries in the service’s list of applicants are no leads: left out',
		]);
	});

	it.each([{ appraisals: [] }, { applicants: {} }, { applicants: 'a' }, { applicants: false }])(
		'%j is not taken for an empty list',
		async (body) => {
			await expect(read(body)).rejects.toMatchObject({ kind: 'foreign' });
		},
	);
});

describe('what tells leads apart', () => {
	it('is the id, or the whole content without one', () => {
		expect(leadKey({ id: 'a', x: 1 })).toBe(leadKey({ id: 'a', x: 2 }));
		expect(leadKey({ id: 7 })).toBe(leadKey({ id: '7' }));
		expect(leadKey({ id: '', x: 1 })).not.toBe(leadKey({ id: '', x: 2 }));
		expect(leadKey({ x: 1 })).toBe(leadKey({ x: 1 }));
	});
});

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

describe('mapping a few at once', () => {
	it('keeps the order and the limit', async () => {
		let underWay = 0;
		let most = 0;
		const results = await mapConcurrently([1, 2, 3, 4, 5, 6], 2, async (item) => {
			most = Math.max(most, ++underWay);
			await Promise.resolve();
			underWay--;
			return item * 2;
		});
		expect(results).toEqual([2, 4, 6, 8, 10, 12]);
		expect(most).toBe(2);
	});

	it('starts nothing more after a failure, and throws the first one', async () => {
		const started: number[] = [];
		const outcome = mapConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
			started.push(item);
			await Promise.resolve();
			if (item === 2) throw new Error('second');
			return item;
		});
		await expect(outcome).rejects.toThrow('second');
		expect(started.length).toBeLessThan(5);
	});

	it('of nothing is nothing', async () => {
		await expect(mapConcurrently([], 4, async () => await Promise.resolve(1))).resolves.toEqual([]);
	});
});
