import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { ServiceError } from '../../../../service/failure';
import { Agency } from '../../../../service/inventory/agency';
import {
	fetchProperties,
	fetchWholeRecords,
	listProperties,
} from '../../../../service/inventory/properties';
import type { ReadRequest } from '../../../../service/http/request';
import type { Session } from '../../../../service/session';

/** What a request is answered with, if ever. */
type Reply = IDataObject | 'never';

/**
 * A service that answers only once everything that may be under way together is. It counts what is.
 * It stands in for a session, so nothing is repeated.
 */
class SlowService {
	/** In the order in which they came. */
	readonly asked: ReadRequest[] = [];

	/** How many were under way at once, at most. */
	mostUnderWay = 0;

	private readonly needs: AbortSignal[] = [];

	private readonly underWay: Array<() => void> = [];

	constructor(private readonly reply: (request: ReadRequest) => Reply) {}

	get agency(): Agency {
		const session: Pick<Session, 'get'> = {
			get: async (request, { needed } = {}) => await this.answer(request, needed),
		};
		return new Agency(session as Session, 'AG1001');
	}

	/** How many of the requests were told that nobody needs their answers any more. */
	get unneeded(): number {
		return this.needs.filter(({ aborted }) => aborted).length;
	}

	private async answer(request: ReadRequest, needed?: AbortSignal): Promise<IDataObject> {
		this.asked.push(request);
		if (needed) this.needs.push(needed);
		await this.turn();
		const reply = this.reply(request);
		if (reply === 'never') return await new Promise<never>(() => {});
		return reply;
	}

	/** Resolves when it is this request's turn to be answered. */
	private async turn(): Promise<void> {
		const turn = new Promise<void>((resolve) => this.underWay.push(resolve));
		this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay.length);
		await setImmediate();
		this.underWay.shift()?.();
		await turn;
	}
}

const BATCHES = MOST_REQUESTS_AT_ONCE + 2;
const IDS = Array.from({ length: 50 * BATCHES }, (_, index) => String(5001 + index));

const idsIn = (query: IDataObject = {}) => query['inventory-id'] as string[];

const allOf = (query?: IDataObject) => ({
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

	it('are asked for one by one if the service refuses them as a whole', async () => {
		const refused = new ServiceError('rejected', 'no', { status: 400 });
		const service = new SlowService(({ path, query }) => {
			if (path === '/inventory/5001') throw refused;
			if (path !== '/inventory/items') return { id: path.split('/').at(-1) };
			if (idsIn(query).includes('5001')) throw refused;
			return allOf(query);
		});

		const found = await fetchProperties(service.agency, IDS.slice(0, 60));

		expect(service.asked).toHaveLength(2 + 50);
		expect(found.size).toBe(60);
		expect([...found].filter(([, each]) => each instanceof ServiceError)).toEqual([
			['5001', refused],
		]);
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

describe('properties that an answer leaves out', () => {
	const gone = () => new ServiceError('rejected', 'no', { status: 404 });

	/** What was asked for: the IDs of a batch, or the one property. */
	const asked = (service: SlowService) =>
		service.asked.map(({ path, query }) => query?.['inventory-id'] ?? path);

	const items = (...ids: string[]) => ids.map((id) => ({ id }));

	/** A service that answers batches like this, and has these properties if it is asked for one alone. */
	function serviceOf(batch: (ids: string[]) => IDataObject, ...known: string[]): SlowService {
		return new SlowService(({ path, query }) => {
			if (path === '/inventory/items') return batch(idsIn(query));
			const id = path.split('/').at(-1) ?? '';
			if (!known.includes(id)) throw gone();
			return { id, price: 1 };
		});
	}

	it('are not there if it counts what it brings', async () => {
		const service = serviceOf(() => ({ totalCount: 2, items: items('1', '3') }));

		const found = await fetchProperties(service.agency, ['1', '2', '3']);

		expect([...found]).toEqual([
			['1', { id: '1' }],
			['3', { id: '3' }],
		]);
		expect(service.asked).toHaveLength(1);
	});

	it.each([
		['it counts nothing', {}],
		['it counts more', { totalCount: 3 }],
	])('are asked for one by one if %s', async (_, count) => {
		const service = serviceOf((ids) => ({ ...count, items: items(...ids.slice(0, 1)) }), '3');

		const found = await fetchProperties(service.agency, ['1', '2', '3']);

		expect(asked(service)).toEqual([['1', '2', '3'], '/inventory/2', '/inventory/3']);
		expect([...found.keys()]).toEqual(['1', '2', '3']);
		expect(found.get('2')).toMatchObject({ kind: 'missing' });
		expect(found.get('3')).toEqual({ id: '3', price: 1 });
	});

	it('are asked for again if it brings what nobody asked for', async () => {
		const service = serviceOf(() => ({ totalCount: 1, items: items('1', '9') }), '2');

		const found = await fetchProperties(service.agency, ['1', '2']);

		expect(asked(service)).toEqual([['1', '2'], '/inventory/2']);
		expect([...found.keys()]).toEqual(['1', '2']);
	});

	it('are asked for again if it brings an ID in other letters', async () => {
		const service = serviceOf(() => ({ totalCount: 2, items: items('ab1', '2') }), 'AB1');

		const found = await fetchProperties(service.agency, ['AB1', '2']);

		expect(asked(service)).toEqual([['AB1', '2'], '/inventory/AB1']);
		expect(found.get('AB1')).toEqual({ id: 'AB1', price: 1 });
	});

	it('are no longer asked for once the service fails in every try', async () => {
		const down = new ServiceError('unavailable', 'down', { requestKind: 'data' }).afterTries(5, 0);
		const service = new SlowService(({ path }) => {
			if (path === '/inventory/items') return {};
			throw down;
		});

		const found = await fetchProperties(service.agency, ['1', '2', '3']);

		expect([...found.values()]).toEqual([down, down, down]);
		expect(asked(service)).toEqual([['1', '2', '3'], '/inventory/1']);
	});
});

describe('the whole records of rows', () => {
	const recordsIf = async (failure: ServiceError) => {
		const { agency } = new SlowService(({ path }) => {
			if (path === '/inventory/items') return { items: [{ id: '1' }, { id: '2' }] };
			throw failure;
		});
		const rows = ['2', '1', '2', undefined, '3'].map((inventoryId) => ({ inventoryId, row: true }));
		return await fetchWholeRecords(agency, rows);
	};

	it('are read once each, in their order, without those that are gone; a row without an ID stays', async () => {
		const gone = new ServiceError('missing', 'no', { status: 404 });

		expect(await recordsIf(gone)).toEqual([{ id: '2' }, { id: '1' }, { row: true }]);
	});

	it('fail if one cannot be read', async () => {
		const busy = new ServiceError('busy', 'later');

		await expect(recordsIf(busy)).rejects.toBe(busy);
	});
});

describe('a list', () => {
	it.each<[IDataObject, number, string, unknown[]]>([
		[{}, 5, '234', [undefined]],
		[{ 'inventory-status': ['Available', 'Let'] }, 5, '1234', ['Available', 'Let']],
		[{ 'inventory-status': ['Available', 'Let'] }, 3, '123', ['Available', 'Let']],
		[{ 'inventory-status': ['Available', 'Let'] }, 2, '12', ['Available']],
	])('for %j, of up to %d, has each property once, and asks for each status', async (...each) => {
		const [query, limit, ids, statuses] = each;
		const service = new SlowService((request) => {
			const found = request.query?.['inventory-status'] === 'Available' ? '12' : '234';
			return { items: [...found].map((inventoryId) => ({ inventoryId })) };
		});

		const rows = await listProperties(service.agency, 'filter', query, limit);

		expect(rows.map(({ inventoryId }) => inventoryId)).toEqual([...ids]);
		expect(service.asked.map((request) => request.query?.['inventory-status'])).toEqual(statuses);
	});
});
