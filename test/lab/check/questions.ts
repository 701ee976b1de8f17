import { randomUUID } from 'node:crypto';

import type { Api } from '../conformance/schemas';
import type { WireRequest } from '../reference/http';
import * as inventory from '../reference/inventory';
import type { LeadKind } from '../reference/leads';
import { listLeads } from '../reference/leads';
import * as products from '../reference/products';
import { isRecord } from '../values';

type Row = Record<string, unknown>;

/** A request that only reads, and what the service has to make of it. */
export interface Question {
	name: string;
	request: WireRequest;
	/** Default: 200. */
	statuses?: number[];
	/** @returns what is wrong with an answer of the right shape; undefined: nothing */
	judge?: (body: unknown) => string | undefined;
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
const NOBODY = 'no-such-listing';

/** The questions of an API, one after the other; some follow from earlier answers. */
export const QUESTIONS: Record<Api, (place: Place) => Generator<Question, void, unknown>> = {
	*leads({ filter, ...door }) {
		for (const kind of ['applicant', 'appraisal'] satisfies LeadKind[]) {
			yield { name: `${kind} leads of the last day`, request: listLeads(door, kind, filter) };
			const to = Math.floor(Date.now() / 1_000) * 1_000;
			const from = to - 3 * DAY_MS;
			const window = { ...filter, 'from-time': new Date(from), 'to-time': new Date(to) };
			yield {
				name: `${kind} leads of three days`,
				request: listLeads(door, kind, window),
				judge: (body) => {
					const times = rowsOf(body).map(({ createdAt }) => Date.parse(String(createdAt)));
					const strangers = times.filter((time) => time > 0 && (time < from || time > to));
					return strangers.length > 0 ? 'leads of other times came' : undefined;
				},
			};
		}
		const end = new Date();
		const backwards = { ...filter, 'from-time': end, 'to-time': new Date(+end - DAY_MS) };
		const request = listLeads(door, 'applicant', backwards);
		yield { name: 'a window that ends before it starts', request, statuses: [400] };
		const stranger = listLeads({ ...door, token: 'x' }, 'applicant', filter);
		yield { name: 'an invalid token', request: stranger, statuses: [401, 403] };
	},

	*inventory(door) {
		const page = { 'max-results': 2, archived: false };
		const first = yield { name: 'a filter', request: inventory.filter(door, page) };
		const rows = rowsOf(first);
		const { nextToken } = isRecord(first) && isRecord(first.meta) ? first.meta : {};
		if (typeof nextToken === 'string' && nextToken !== '') {
			const next = { ...page, 'next-token': nextToken };
			yield {
				name: 'the page after it',
				request: inventory.filter(door, next),
				judge: (body) => {
					const seen = idsOf(rows);
					return idsOf(rowsOf(body)).some((id) => seen.includes(id)) ? 'rows repeat' : undefined;
				},
			};
		}
		const ids = idsOf(rows);
		if (ids[0] !== undefined) {
			yield { name: 'one property', request: inventory.getItem(door, ids[0]) };
			yield {
				name: 'several properties',
				request: inventory.getItems(door, ids),
				judge: (body) => {
					const came = rowsOf(body).map(({ id }) => String(id));
					return came.sort().join() === [...ids].sort().join() ? undefined : 'others came';
				},
			};
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
			const list = yield { name: `${product}: 30 days`, request: lists[product] };
			const [known] = idsOf(rowsOf(list));
			const get = (id: string) => products.getActivation(door, product, id);
			if (known !== undefined) yield { name: `${product}: one`, request: get(known) };
			yield {
				name: `${product}: an unknown activation`,
				request: get(randomUUID()),
				statuses: [404],
			};
		}
		const unknown = products.listPremium(door, { customerListingId: NOBODY });
		yield { name: 'premium: an unknown listing', request: unknown, statuses: [400] };
		const time = products.listWeekly(door, { date_from: since.toISOString() });
		yield { name: 'weekly: a time in place of a day', request: time, statuses: [400] };
	},
};

/** @returns the records of a list, wherever it stands */
function rowsOf(body: unknown): Row[] {
	const list = isRecord(body) ? Object.values(body).find(Array.isArray) : body;
	return Array.isArray(list) ? list.filter(isRecord) : [];
}

function idsOf(rows: Row[]): string[] {
	return rows
		.map(({ id, inventoryId }) => inventoryId ?? id)
		.filter((id) => typeof id === 'string');
}
