import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { Agency } from '../../../../service/inventory/agency';
import { fetchWholeRecords } from '../../../../service/inventory/fetchWholeRecords';

/** An agency that has all properties but these. */
function agencyWithout(gone: string[] = [], failure?: ServiceError) {
	const asked: string[][] = [];
	const agency: Pick<Agency, 'batch' | 'property'> = {
		batch: async (ids) => {
			asked.push(ids);
			if (failure) throw failure;
			const items = ids.filter((id) => !gone.includes(id)).map((id) => ({ id, price: 1 }));
			return await Promise.resolve({ totalCount: items.length, items });
		},
		property: async () => await Promise.reject(new ServiceError('missing', 'none')),
	};
	return { agency: agency as Agency, asked };
}

const rowsOf = (ids: string[]): IDataObject[] => ids.map((inventoryId) => ({ inventoryId }));

describe('the whole records of a list', () => {
	it('come in its order, 50 with each request', async () => {
		const ids = Array.from({ length: 120 }, (_, index) => String(5001 + index));
		const { agency, asked } = agencyWithout();

		const records = await fetchWholeRecords(agency, rowsOf(ids));

		expect(records.map(({ id }) => id)).toEqual(ids);
		expect(asked.map(({ length }) => length)).toEqual([50, 50, 20]);
	});

	it('come once each, without those that are gone meanwhile', async () => {
		const { agency, asked } = agencyWithout(['2']);

		const records = await fetchWholeRecords(agency, rowsOf(['1', '2', '1', '3']));

		expect(records).toEqual([
			{ id: '1', price: 1 },
			{ id: '3', price: 1 },
		]);
		expect(asked).toEqual([['1', '2', '3']]);
	});

	it('know rows by address as well, and leave a row without an ID as it is', async () => {
		const { agency } = agencyWithout();
		const nameless = { inventoryId: null, status: 'Let' };

		const records = await fetchWholeRecords(agency, [{ id: '7' }, nameless, { ...nameless }]);

		expect(records).toEqual([{ id: '7', price: 1 }, nameless, nameless]);
	});

	it('of no rows are none, without a request', async () => {
		const { agency, asked } = agencyWithout();

		expect(await fetchWholeRecords(agency, [])).toEqual([]);
		expect(await fetchWholeRecords(agency, [{ inventoryId: null }])).toHaveLength(1);
		expect(asked).toEqual([]);
	});

	it('fail as soon as one cannot be had', async () => {
		const failure = new ServiceError('busy', 'later').afterTries(1, 0);
		const { agency, asked } = agencyWithout([], failure);
		const ids = Array.from({ length: 120 }, (_, index) => String(index + 1));

		await expect(fetchWholeRecords(agency, rowsOf(ids))).rejects.toMatchObject({ kind: 'busy' });
		expect(asked).toHaveLength(1);
	});
});
