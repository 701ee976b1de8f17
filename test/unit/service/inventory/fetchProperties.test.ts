import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { ServiceError } from '../../../../service/failure';
import { fetchProperties } from '../../../../service/inventory/fetchProperties';
import { SlowService } from '../../../lab/slowService';

const BATCHES = MOST_REQUESTS_AT_ONCE + 2;
const IDS = Array.from({ length: 50 * BATCHES }, (_, index) => String(5001 + index));

const idsIn = (query: IDataObject) => query['inventory-id'] as string[];

const allOf = (query: IDataObject) => ({
	totalCount: idsIn(query).length,
	items: idsIn(query).map((id) => ({ id })),
});

describe('properties by their IDs', () => {
	it('are asked for 50 with each request, a few requests at once', async () => {
		const service = new SlowService(({ query }) => allOf(query));

		const found = await fetchProperties(service.agency, IDS);

		expect([...found.keys()].sort()).toEqual(IDS);
		expect(service.asked.map(({ query }) => idsIn(query).length)).toEqual(Array(BATCHES).fill(50));
		expect(service.mostUnderWay).toBe(MOST_REQUESTS_AT_ONCE);
	});

	it('come even if the request for others fails', async () => {
		const failure = new ServiceError('busy', 'later').afterTries(1, 0);
		const service = new SlowService(({ query }) => {
			if (idsIn(query).includes('5060')) throw failure;
			return allOf(query);
		});

		const found = await fetchProperties(service.agency, IDS);

		expect(service.asked).toHaveLength(BATCHES);
		expect(IDS.filter((id) => found.get(id) === failure)).toEqual(IDS.slice(50, 100));
		expect(IDS.filter((id) => found.get(id) instanceof ServiceError)).toHaveLength(50);
	});

	it('are halved one half after the other if the service refuses them as a whole', async () => {
		const service = new SlowService(({ query }) => {
			if (idsIn(query).includes('5001')) throw new ServiceError('rejected', 'no', { status: 400 });
			return allOf(query);
		});

		const found = await fetchProperties(service.agency, IDS.slice(0, 8));

		expect(service.asked.map(({ query }) => idsIn(query).length)).toEqual([8, 4, 2, 1, 1, 2, 4]);
		expect(service.mostUnderWay).toBe(1);
		expect(IDS.slice(0, 8).filter((id) => found.get(id) instanceof ServiceError)).toEqual(['5001']);
	});

	it('are no longer asked for once something else goes wrong, such as a Stop', async () => {
		const stop = new Error('The execution was canceled');
		const service = new SlowService(({ query }) => {
			if (idsIn(query).includes('5060')) throw stop;
			return 'never';
		});

		await expect(fetchProperties(service.agency, IDS)).rejects.toBe(stop);

		expect(service.asked).toHaveLength(MOST_REQUESTS_AT_ONCE);
		expect(service.unneeded).toBe(MOST_REQUESTS_AT_ONCE);
	});
});
