import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../../../service/basics/values';
import type { Agency } from '../../../../service/inventory/agency';
import { listProperties } from '../../../../service/inventory/listProperties';

/** An agency that has these properties, by status. */
function agencyWith(byStatus: Record<string, string[]>) {
	const asked: Array<[query: IDataObject, limit: number]> = [];
	const agency: Pick<Agency, 'list'> = {
		list: async (_, query, limit) => {
			asked.push([query, limit]);
			const ids = byStatus[textOf(query['inventory-status'])] ?? [];
			const rows = ids.map((inventoryId) => ({ inventoryId: inventoryId || null }));
			return await Promise.resolve(rows.slice(0, limit));
		},
	};
	return { agency: agency as Agency, asked };
}

const list = async (agency: Agency, statuses: unknown, limit: number) =>
	await listProperties(
		agency,
		'filter',
		{ recordType: 'Rent', 'inventory-status': statuses as string[] },
		limit,
	);

const rowsOf = (...ids: string[]) => ids.map((inventoryId) => ({ inventoryId }));

describe('properties of several statuses', () => {
	it('come one status after the other, with the same filters', async () => {
		const { agency, asked } = agencyWith({ Let: ['1', '2'], Available: ['3'] });

		expect(await list(agency, ['Available', 'Let'], Infinity)).toEqual(rowsOf('3', '1', '2'));
		expect(asked).toEqual([
			[{ recordType: 'Rent', 'inventory-status': 'Available' }, Infinity],
			[{ recordType: 'Rent', 'inventory-status': 'Let' }, Infinity],
		]);
	});

	it('come once, and as many as the limit says if there are', async () => {
		const { agency } = agencyWith({ Let: ['1', '2'], Available: ['2', '1', '3', '4'] });

		expect(await list(agency, ['Let', 'Available'], 3)).toEqual(rowsOf('1', '2', '3'));
	});

	it('are not asked for once there are enough', async () => {
		const { agency, asked } = agencyWith({ Let: ['1', '2'], Available: ['3'] });

		expect(await list(agency, ['Let', 'Available'], 2)).toHaveLength(2);
		expect(asked).toHaveLength(1);
	});

	it('may lack their IDs, and are no doubles then', async () => {
		const { agency } = agencyWith({ Let: ['', ''], Available: [''] });

		expect(await list(agency, ['Let', 'Available'], 9)).toHaveLength(3);
	});

	it('without a status are one list', async () => {
		const { agency, asked } = agencyWith({ '': ['1', '1'] });

		expect(await list(agency, undefined, 9)).toEqual(rowsOf('1', '1'));
		expect(asked).toHaveLength(1);
	});
});
