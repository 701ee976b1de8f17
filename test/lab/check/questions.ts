import { randomUUID } from 'node:crypto';

import type { Api } from '../conformance/schemas';
import type { WireRequest } from '../reference/http';
import * as inventory from '../reference/inventory';
import type { LeadKind } from '../reference/leads';
import { listLeads } from '../reference/leads';
import * as products from '../reference/products';
import { isRecord } from '../values';

/** A request that only reads, and the statuses that are right; default: 200. */
export interface Question {
	name: string;
	request: WireRequest;
	statuses?: number[];
}

/** Where an API is, and what a person has set for it. */
export interface Place {
	baseUrl: string;
	token: string;
	agencyRef: string;
	/** `branch-id=11`: what a leads client with several branches has to ask for. */
	filter: Record<string, string>;
}

const DAY_MS = 86_400_000;

/** The questions of an API, one after the other; some follow from earlier answers. */
export const QUESTIONS: Record<Api, (place: Place) => Generator<Question, void, unknown>> = {
	*leads({ filter, ...door }) {
		const [to, from] = [new Date(), new Date(Date.now() - 3 * DAY_MS)];
		const window = { ...filter, 'from-time': from, 'to-time': to };
		for (const kind of ['applicant', 'appraisal'] satisfies LeadKind[]) {
			yield { name: `${kind} leads of the last day`, request: listLeads(door, kind, filter) };
			yield { name: `${kind} leads of three days`, request: listLeads(door, kind, window) };
		}
		const backwards = listLeads(door, 'applicant', {
			...window,
			'to-time': new Date(+from - DAY_MS),
		});
		yield { name: 'a window that ends before it starts', request: backwards, statuses: [400] };
		const stranger = listLeads({ ...door, token: 'x' }, 'applicant', filter);
		yield { name: 'an invalid token', request: stranger, statuses: [401, 403] };
	},

	*inventory(door) {
		const page = { 'max-results': 2, archived: false };
		const first = yield { name: 'a filter', request: inventory.filter(door, page) };
		const { nextToken } = isRecord(first) && isRecord(first.meta) ? first.meta : {};
		if (typeof nextToken === 'string' && nextToken !== '') {
			const next = inventory.filter(door, { ...page, 'next-token': nextToken });
			yield { name: 'the page after it', request: next };
		}
		const ids = idsOf(first);
		if (ids[0] !== undefined) {
			yield { name: 'one property', request: inventory.getItem(door, ids[0]) };
			yield { name: 'several properties', request: inventory.getItems(door, ids) };
		}
		yield { name: 'by address', request: inventory.findByAddress(door, { maxResults: 2 }) };
		yield { name: 'by text', request: inventory.search(door, { query: 'a', 'max-results': 2 }) };
		yield { name: 'branches', request: inventory.listBranches(door) };
		yield { name: 'negotiators', request: inventory.listNegotiators(door) };
		yield { name: 'the integration', request: inventory.whoAmI(door), statuses: [200, 404] };
		const none = inventory.getItem(door, '999999999');
		yield { name: 'a property that does not exist', request: none, statuses: [404] };
		const other = inventory.filter({ ...door, agencyRef: randomUUID() }, page);
		yield { name: 'an unknown AgencyRef', request: other, statuses: [403] };
	},

	*products(door) {
		const since = new Date(Date.now() - 30 * DAY_MS);
		const day = since.toISOString().slice(0, 10);
		const lists = {
			premium: products.listPremium(door, { date_from: since }),
			weekly: products.listWeekly(door, { date_from: day }),
		};
		for (const product of ['premium', 'weekly'] as const) {
			const [known] = idsOf(yield { name: `${product}: 30 days`, request: lists[product] });
			const get = (id: string) => products.getActivation(door, product, id);
			if (known !== undefined) yield { name: `${product}: one`, request: get(known) };
			const unknown = get(randomUUID());
			yield { name: `${product}: an unknown activation`, request: unknown, statuses: [404] };
		}
		const unknown = products.listPremium(door, { customerListingId: 'no-such-listing' });
		yield { name: 'premium: an unknown listing', request: unknown, statuses: [400] };
		const time = products.listWeekly(door, { date_from: since.toISOString() });
		yield { name: 'weekly: a time in place of a day', request: time, statuses: [400] };
	},
};

/** @returns the IDs of the records of a list, wherever it stands */
function idsOf(body: unknown): string[] {
	const list: unknown = isRecord(body) ? Object.values(body).find(Array.isArray) : body;
	const rows = Array.isArray(list) ? list.filter(isRecord) : [];
	const ids = rows.map(({ id, inventoryId }) => inventoryId ?? id);
	return ids.filter((id) => typeof id === 'string');
}
