import { describe, expect, it } from '@jest/globals';

import { textOf } from '../../../../service/basics/values';
import { MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { ServiceError } from '../../../../service/failure';
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

	it('are all asked for a few at once, in their order even if the last is answered first', async () => {
		const statuses = Array.from(
			{ length: MOST_REQUESTS_AT_ONCE + 2 },
			(_, index) => `Status${index}`,
		);
		const service = serviceWith(Object.fromEntries(statuses.map((each) => [each, [each, 'both']])));
		service.answerLastFirst();

		const rows = await list(service, statuses, Infinity);

		expect(rows).toEqual(rowsOf('Status0', 'both', ...statuses.slice(1)));
		expect(service.mostUnderWay).toBe(MOST_REQUESTS_AT_ONCE);
	});

	it('are asked for one after the other with a limit', async () => {
		const service = serviceWith({ Let: ['1'], Available: ['2'], Withdrawn: ['3'] });

		expect(await list(service, ['Let', 'Available', 'Withdrawn'], 9)).toHaveLength(3);
		expect(service.mostUnderWay).toBe(1);
	});

	it('take no more requests together than one by one: the pages of each still follow each other', async () => {
		const pages = { Let: ['t1', 't2', null], Available: ['t1', null], Withdrawn: [null] };
		const service = new SlowService(({ query }) => {
			const status = textOf(query['inventory-status']) as keyof typeof pages;
			const at = Number(textOf(query['next-token']).slice(1));
			return { meta: { nextToken: pages[status][at] }, items: [{ inventoryId: `${status}${at}` }] };
		});

		const rows = await list(service, Object.keys(pages), Infinity);

		expect(rows).toEqual(rowsOf('Let0', 'Let1', 'Let2', 'Available0', 'Available1', 'Withdrawn0'));
		expect(service.asked).toHaveLength(6);
		expect(service.mostUnderWay).toBe(3);
	});

	it('fail with the first failure: the others are told, and no further page is asked for', async () => {
		const failure = new ServiceError('forbidden', 'no');
		const service = new SlowService(({ query }) => {
			if (query['inventory-status'] === 'Let') throw failure;
			return 'never';
		});

		await expect(list(service, ['Available', 'Let', 'Withdrawn'], Infinity)).rejects.toBe(failure);

		expect(service.asked).toHaveLength(3);
		expect(service.unneeded).toBe(3);
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
