import { describe, expect, it } from '@jest/globals';

import { textOf } from '../../../../service/basics/values';
import { listProperties } from '../../../../service/inventory/properties';
import { SlowService } from '../../../lab/slowService';

/** A service that has these properties, by status. */
function serviceWith(byStatus: Record<string, string[]>): SlowService {
	return new SlowService(({ query }) => {
		const ids = byStatus[textOf(query['inventory-status'])] ?? [];
		const rows = ids.map((inventoryId) => ({ inventoryId: inventoryId || null }));
		return { items: rows.slice(0, Number(query['max-results'])) };
	});
}

const list = async ({ agency }: SlowService, statuses: unknown, limit: number) =>
	await listProperties(
		agency,
		'filter',
		{ recordType: 'Rent', 'inventory-status': statuses as string[] },
		limit,
	);

const queriesOf = ({ asked }: SlowService) => asked.map(({ query }) => query);

const rowsOf = (...ids: string[]) => ids.map((inventoryId) => ({ inventoryId }));

describe('properties of several statuses', () => {
	it('come one status after the other, with the same filters', async () => {
		const service = serviceWith({ Let: ['1', '2'], Available: ['3'] });

		expect(await list(service, ['Available', 'Let'], Infinity)).toEqual(rowsOf('3', '1', '2'));
		expect(queriesOf(service)).toEqual([
			{ recordType: 'Rent', 'inventory-status': 'Available', 'max-results': 250 },
			{ recordType: 'Rent', 'inventory-status': 'Let', 'max-results': 250 },
		]);
	});

	it('come once, and as many as the limit says if there are', async () => {
		const service = serviceWith({ Let: ['1', '2'], Available: ['2', '1', '3', '4'] });

		expect(await list(service, ['Let', 'Available'], 3)).toEqual(rowsOf('1', '2', '3'));
	});

	it('are no more than the limit, even if the next status has more', async () => {
		const service = serviceWith({ Let: ['1', '2'], Available: ['3', '4', '5'] });

		expect(await list(service, ['Let', 'Available'], 3)).toEqual(rowsOf('1', '2', '3'));
	});

	it('are not asked for once there are enough', async () => {
		const service = serviceWith({ Let: ['1', '2'], Available: ['3'] });

		expect(await list(service, ['Let', 'Available'], 2)).toHaveLength(2);
		expect(service.asked).toHaveLength(1);
	});

	it('may lack their IDs, and are no doubles then', async () => {
		const service = serviceWith({ Let: ['', ''], Available: [''] });

		expect(await list(service, ['Let', 'Available'], 9)).toHaveLength(3);
	});

	it('without a status are one list', async () => {
		const service = serviceWith({ '': ['1', '1'] });

		expect(await list(service, undefined, 9)).toEqual(rowsOf('1', '1'));
		expect(service.asked).toHaveLength(1);
	});
});
