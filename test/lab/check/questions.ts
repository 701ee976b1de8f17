import { randomUUID } from 'node:crypto';

import get from 'lodash/get';

import type { Api } from '../conformance/schemas';
import type { Door, Values } from './http';
import { isRecord } from '../values';

/** An operation that only reads, the values of its parameters, the statuses that are right (default: 200), and who asks. */
type Question = [
	operationId: string,
	values?: Values,
	statuses?: number[],
	changes?: Partial<Door>,
];

const DAY_MS = 86_400_000;

/**
 * The questions of an API, one after the other; some follow from earlier answers.
 *
 * @param filter `branch-id=11`: what a leads client with several branches has to ask for
 */
export const QUESTIONS: Record<Api, (filter: Values) => Generator<Question, void, unknown>> = {
	*leads(filter) {
		const [to, from, before] = [0, 3, 4].map((days) => new Date(Date.now() - days * DAY_MS));
		const window = { ...filter, 'from-time': from, 'to-time': to };
		for (const list of ['listApplicantLeads', 'listAppraisalLeads']) {
			yield [list, filter];
			yield [list, window];
			yield [list, { ...window, 'to-time': before }, [400]];
		}
		yield ['listApplicantLeads', filter, [401, 403], { token: 'x' }];
	},

	*inventory() {
		const page = { 'max-results': 2, archived: false };
		const first = yield ['filter', page];
		const nextToken = String(get(first, 'meta.nextToken') ?? '');
		if (nextToken !== '') yield ['filter', { ...page, 'next-token': nextToken }];
		const ids = idsOf(first);
		if (ids.length > 0) yield ['getItems', { 'inventory-id': ids }];
		for (const id of ids) yield ['getItem', { inventoryId: id }];
		yield ['findByAddress', { maxResults: 2 }];
		yield ['search', { query: 'a', 'max-results': 2 }];
		yield ['listBranches'];
		yield ['listNegotiators'];
		yield ['whoAmI', {}, [200, 404]];
		yield ['getItem', { inventoryId: '999999999' }, [404]];
		yield ['filter', page, [403], { agencyRef: randomUUID() }];
	},

	*products() {
		const since = new Date(Date.now() - 30 * DAY_MS);
		const day = since.toISOString().slice(0, 10);
		for (const [product, date_from] of Object.entries({ Premium: since, Weekly: day })) {
			const ids = idsOf(yield [`list${product}`, { date_from }]);
			for (const uuid of ids.slice(0, 1)) yield [`get${product}`, { uuid }];
			yield [`get${product}`, { uuid: randomUUID() }, [404]];
		}
		yield ['listPremium', { customerListingId: 'no-such-listing' }, [400]];
		yield ['listWeekly', { date_from: since }, [400]];
	},
};

/** @returns the IDs of the records of a list, wherever it stands */
function idsOf(body: unknown): string[] {
	const list: unknown = isRecord(body) ? Object.values(body).find(Array.isArray) : body;
	const rows = Array.isArray(list) ? list.filter(isRecord) : [];
	const ids = rows.map(({ id, inventoryId }) => inventoryId ?? id);
	return ids.filter((id) => typeof id === 'string');
}
