import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import { fetchWholeRecords } from '../../../../service/inventory/properties';
import { SlowService } from '../../../lab/slowService';

/** An agency that has all properties but these. */
function agencyWithout(gone: string[] = []) {
	const service = new SlowService(({ path, query }) => {
		if (path !== '/inventory/items') throw new ServiceError('missing', 'none');
		const items = idsIn(query)
			.filter((id) => !gone.includes(id))
			.map((id) => ({ id, price: 1 }));
		return { totalCount: items.length, items };
	});
	return { service, asked: () => service.asked.map(({ query }) => idsIn(query)) };
}

const fetchFrom = async (service: SlowService, rows: IDataObject[]) =>
	await fetchWholeRecords(service.agency, rows);

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => String(5001 + index));

const rowsOf = (ids: string[]): IDataObject[] => ids.map((inventoryId) => ({ inventoryId }));

describe('the whole records of a list', () => {
	it('come in its order, 50 with each request', async () => {
		const ids = idsOf(120);
		const { service, asked } = agencyWithout();

		const records = await fetchFrom(service, rowsOf(ids));

		expect(records.map(({ id }) => id)).toEqual(ids);
		expect(asked().map(({ length }) => length)).toEqual([50, 50, 20]);
	});

	it('come once each, without those that are gone meanwhile', async () => {
		const { service, asked } = agencyWithout(['2']);

		const records = await fetchFrom(service, rowsOf(['1', '2', '1', '3']));

		expect(records).toEqual([
			{ id: '1', price: 1 },
			{ id: '3', price: 1 },
		]);
		expect(asked()).toEqual([['1', '2', '3']]);
	});

	it('know rows by address as well, and leave a row without an ID as it is', async () => {
		const { service } = agencyWithout();
		const nameless = { inventoryId: null, status: 'Let' };

		const records = await fetchFrom(service, [{ id: '7' }, nameless, { ...nameless }]);

		expect(records).toEqual([{ id: '7', price: 1 }, nameless, nameless]);
	});

	it('fail with one that cannot be had', async () => {
		const failure = new ServiceError('forbidden', 'no');
		const service = new SlowService(() => {
			throw failure;
		});

		await expect(fetchFrom(service, rowsOf(['1']))).rejects.toBe(failure);
	});

	it('of no rows are none, without a request', async () => {
		const { service, asked } = agencyWithout();

		expect(await fetchFrom(service, [])).toEqual([]);
		expect(await fetchFrom(service, [{ inventoryId: null }])).toHaveLength(1);
		expect(asked()).toEqual([]);
	});
});

function idsIn(query: IDataObject): string[] {
	return query['inventory-id'] as string[];
}
