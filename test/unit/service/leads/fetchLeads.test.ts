import { describe, expect, it } from '@jest/globals';

import {
	ANY_FILTER_KIND,
	DEFAULT_QUERY_NAMES,
	fetchLeads,
	FILTER_KINDS,
} from '../../../../service/leads/fetchLeads';
import type { Session } from '../../../../service/session';
import contract from '../../../lab/contract/leads.json';

describe('the filters', () => {
	it('are those of the contract, each with its ID as a parameter', () => {
		const names = Object.values(contract.components.parameters).map(({ name }) => name);

		expect(FILTER_KINDS.map((kind) => `${kind}-id`).sort()).toEqual(
			names.filter((name) => name.endsWith('-id')).sort(),
		);
		expect(ANY_FILTER_KIND).toBe('branch, brand, company or group');
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
