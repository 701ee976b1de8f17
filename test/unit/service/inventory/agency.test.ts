import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { ReadRequest } from '../../../../service/http/request';
import { Agency } from '../../../../service/inventory/agency';
import type { Bounds, Session } from '../../../../service/session';

/** An agency whose list answers with these pages, and the last one for ever. */
function agencyOf(...pages: IDataObject[]) {
	const asked: IDataObject[] = [];
	const session: Pick<Session, 'get'> = {
		get: async ({ query = {} }) => {
			asked.push(query);
			const body = pages[Math.min(asked.length, pages.length) - 1] ?? {};
			return await Promise.resolve(body);
		},
	};
	return { agency: new Agency(session as Session, 'AG1001'), asked };
}

const page = (ids: string[], nextToken?: string | null): IDataObject => ({
	meta: { nextToken },
	items: ids.map((id) => ({ id })),
});

describe('a list of properties', () => {
	it('goes on over an empty page that is not the last one', async () => {
		const { agency, asked } = agencyOf(page(['a'], 't1'), page([], 't2'), page(['b']));

		expect(await agency.list('filter', {}, Infinity)).toHaveLength(2);
		expect(asked.map((query) => query['next-token'])).toEqual([undefined, 't1', 't2']);
	});

	it('may hold a row twice while it changes, and rows without an ID', async () => {
		const moved = agencyOf(page(['a', 'b'], 't1'), page(['b', 'c'], 't2'), page(['c']));

		expect(await moved.agency.list('text', {}, Infinity)).toHaveLength(5);

		const bare = (nextToken?: string) => ({ meta: { nextToken }, items: [{}, { id: null }] });
		const unnamed = agencyOf(bare('t1'), bare('t2'), bare());
		expect(await unnamed.agency.list('filter', {}, Infinity)).toHaveLength(6);
	});

	it('is enough with what the limit needs, even if a token repeats then', async () => {
		const { agency, asked } = agencyOf(page(['a', 'b'], 't1'));

		expect(await agency.list('address', {}, 2)).toHaveLength(2);
		expect(asked).toEqual([{ maxResults: 2 }]);
	});
});

describe('a search by address', () => {
	it('cuts off what is more than the limit, and follows pages that are smaller', async () => {
		const rows = (from: number, count: number) =>
			Array.from({ length: count }, (_, index) => String(from + index));
		const large = agencyOf(page(rows(0, 80), 't1'));

		expect(await large.agency.list('address', {}, 50)).toHaveLength(50);

		const small = agencyOf(page(rows(0, 20), 't1'), page(rows(20, 20), 't2'), page(rows(40, 20)));
		expect(await small.agency.list('address', {}, 50)).toHaveLength(50);
		expect(small.asked.map(({ nextToken }) => nextToken)).toEqual([undefined, 't1', 't2']);
	});
});

describe('a request to an agency', () => {
	interface Sent {
		request: ReadRequest;
		bounds?: Bounds;
	}

	/** An agency, and what was sent to the service, which answers with these one after the other. */
	function recorded(...answers: Array<IDataObject | ServiceError>) {
		const sent: Sent[] = [];
		const session: Pick<Session, 'get' | 'fingerprint'> = {
			fingerprint: 'pair',
			get: async (request, bounds) => {
				const answer = answers[sent.length] ?? {};
				sent.push({ request, bounds });
				if (answer instanceof ServiceError) throw answer;
				return await Promise.resolve(answer);
			},
		};
		return { agency: new Agency(session as Session, 'AG1001'), session: session as Session, sent };
	}

	const notFound = (isOwnNotFound: boolean) =>
		new ServiceError('rejected', 'no', { status: 404, isOwnNotFound });

	it('names it', async () => {
		const { agency, sent } = recorded({ id: '1' });

		await agency.property('a b?');

		expect(sent.map(({ request }) => request)).toEqual([
			{
				path: '/inventory/a%20b%3F',
				query: {},
				headers: { AgencyRef: 'AG1001' },
			},
		]);
	});

	it.each([
		['address', 50, { maxResults: 50 }],
		['text', 1, { 'max-results': 1 }],
		['text', 250, { 'max-results': 250 }],
		['filter', 251, { 'max-results': 250 }],
		['branches', Infinity, { 'max-results': 250 }],
	] as const)('for a list by %s of %d asks for pages of one size', async (list, limit, size) => {
		const { agency, sent } = recorded({ items: [] });

		await agency.list(list, { query: 'x' }, limit);

		expect(sent.map(({ request }) => request.query)).toEqual([{ query: 'x', ...size }]);
	});

	it.each(['address', 'text', 'negotiators'] as const)(
		'for a list by %s has no rows if the service itself answers 404',
		async (list) => {
			const { agency } = recorded(notFound(true));

			expect(await agency.list(list, {}, 5)).toEqual([]);
		},
	);

	it.each(['address', 'filter'] as const)(
		'for a list by %s has failed with another 404',
		async (list) => {
			const failure = notFound(false);
			const { agency } = recorded(failure);

			await expect(agency.list(list, {}, 5)).rejects.toBe(failure);
		},
	);

	it('that is answered with 404 for a page amid the list is no end of it', async () => {
		const { agency } = recorded(page(['a'], 't1'), notFound(true));

		await expect(agency.list('text', {}, 5)).rejects.toMatchObject({
			kind: 'unavailable',
			message: 'The service’s list ended early: it answered 404 for its own next page',
			helpCode: 'unreadableAnswer',
			details: { status: 404 },
		});
	});

	it('for one page has its rows and the token of the next one', async () => {
		const { agency, sent } = recorded(page(['a'], 't2'), page(['b']));

		expect(await agency.pageOf('filter', {}, 't1')).toEqual({ rows: [{ id: 'a' }], next: 't2' });
		expect(await agency.pageOf('filter', {})).toEqual({ rows: [{ id: 'b' }] });
		expect(sent.map(({ request }) => request.query)).toEqual([
			{ 'max-results': 250, 'next-token': 't1' },
			{ 'max-results': 250 },
		]);
	});

	it('for a page that is its own next one never ends', async () => {
		const { agency } = recorded(page(['a'], 't'));

		await expect(agency.pageOf('filter', {}, 't')).rejects.toMatchObject({ kind: 'foreign' });
	});

	it.each([true, false])(
		'for a property that is answered with 404 says that there is none: %s',
		async (isOwn) => {
			const { agency } = recorded(notFound(isOwn));

			await expect(agency.property('5001')).rejects.toMatchObject({
				kind: 'missing',
				message: 'The service found no such property (404)',
				helpCode: 'notFound',
				details: { status: 404, remedy: expect.stringMatching(/You asked for the ID "5001"/) },
			});
		},
	);

	it.each([new ServiceError('foreign', 'no', { status: 404 }), new ServiceError('busy', 'later')])(
		'for a property that fails otherwise fails like that',
		async (failure) => {
			const { agency } = recorded(failure);

			await expect(agency.property('5001')).rejects.toBe(failure);
		},
	);

	it('for a property whose record lacks the ID brings the one that was asked for', async () => {
		const { agency } = recorded({ category: 'Residential' }, { id: 'b' });

		expect(await agency.property('a')).toEqual({ category: 'Residential', id: 'a' });
		expect(await agency.property('B')).toEqual({ id: 'b' });
	});

	it('that brings no record says so', async () => {
		await expect(recorded({ items: [] }).agency.property('1')).rejects.toMatchObject({
			kind: 'foreign',
			message: 'The service answered without the record of a property',
		});
	});

	it('ends with each signal that it was given', async () => {
		const [first, second] = [new AbortController(), new AbortController()];
		const { session, sent } = recorded({ items: [] }, { items: [] });
		const agency = new Agency(session, 'AG1001', first.signal);

		await agency.endingWith(second.signal).list('text', {}, 5);
		await agency.list('text', {}, 5);

		const needs = () => sent.map(({ bounds }) => bounds?.needed?.aborted);

		expect(needs()).toEqual([false, false]);

		second.abort();

		expect(needs()).toEqual([true, false]);

		first.abort();

		expect(needs()).toEqual([true, true]);
	});

	it('is the same for the same agency and pair', () => {
		const { agency, session } = recorded();

		expect(new Agency(session, 'AG1001').identity).toBe(agency.identity);
		expect(new Agency(session, 'ag1001').identity).toBe(agency.identity);
		expect(new Agency(session, 'AG1002').identity).not.toBe(agency.identity);

		const other: Pick<Session, 'fingerprint'> = { fingerprint: 'other' };

		expect(new Agency(other as Session, 'AG1001').identity).not.toBe(agency.identity);
	});
});
