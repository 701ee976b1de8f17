import { randomUUID } from 'node:crypto';

import get from 'lodash/get';

import type { Api } from '../conformance/schemas';
import { isoSeconds } from '../sandbox/clock';
import { DAY } from '../times';
import { isRecord } from '../values';

type Query = Record<string, string> | Array<[string, string]>;

/** A path that is only read, what is asked for, the statuses that are right (default: 200), and headers of its own. */
type Question = [
	path: string,
	query?: Query,
	statuses?: number[],
	headers?: Record<string, string>,
];

/**
 * The questions of an API, one after the other; some follow from earlier answers.
 *
 * @param filter `branch-id=11`: what a leads client with several branches has to ask for
 */
export const QUESTIONS: Record<
	Api,
	(filter: Record<string, string>) => Generator<Question, void, unknown>
> = {
	*leads(filter) {
		const window = { ...filter, 'from-time': daysAgo(3), 'to-time': daysAgo(0) };
		for (const path of ['/applicant-leads', '/appraisal-leads']) {
			yield [path, filter];
			yield [path, window];
			yield [path, { ...window, 'to-time': daysAgo(4) }, [400]];
		}
		yield ['/applicant-leads', filter, [401, 403], { authorization: 'Bearer x' }];
	},

	*inventory() {
		const page = { 'max-results': '2', archived: 'false' };
		const first = yield ['/inventory/filter', page];
		const nextToken = String(get(first, 'meta.nextToken') ?? '');
		if (nextToken !== '') yield ['/inventory/filter', { ...page, 'next-token': nextToken }];
		const ids = idsOf(first);
		const wanted = ids.map((id): [string, string] => ['inventory-id', id]);
		if (ids.length > 0) yield ['/inventory/items', wanted];
		for (const id of ids) yield [`/inventory/${encodeURIComponent(id)}`];
		yield ['/inventory', { maxResults: '2' }];
		yield ['/inventory/search', { query: 'a', 'max-results': '2' }];
		yield ['/branches'];
		yield ['/negotiators'];
		yield ['/partners/integration', {}, [200, 404]];
		yield ['/inventory/999999999', {}, [404]];
		yield ['/inventory/filter', page, [403], { AgencyRef: randomUUID() }];
	},

	*products() {
		const [premium, weekly] = [
			'/products/premium-listings',
			'/products/weekly-featured-properties',
		];
		const since = daysAgo(30);
		for (const [path, from] of Object.entries({ [premium]: since, [weekly]: since.slice(0, 10) })) {
			const ids = idsOf(yield [path, { date_from: from }]);
			for (const id of ids.slice(0, 1)) yield [`${path}/${id}`];
			yield [`${path}/${randomUUID()}`, {}, [404]];
		}
		yield [premium, { customerListingId: 'no-such-listing' }, [400]];
		yield [weekly, { date_from: since }, [400]];
	},
};

function daysAgo(days: number): string {
	return isoSeconds(Date.now() - days * DAY);
}

/** @returns the IDs of the records of a list, wherever it stands */
function idsOf(body: unknown): string[] {
	const list: unknown = isRecord(body) ? Object.values(body).find(Array.isArray) : body;
	const rows = Array.isArray(list) ? list.filter(isRecord) : [];
	const ids = rows.map(({ id, inventoryId }) => inventoryId ?? id);
	return ids.filter((id) => typeof id === 'string');
}
