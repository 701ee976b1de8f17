import camelCase from 'lodash/camelCase';
import get from 'lodash/get';
import mapValues from 'lodash/mapValues';
import pick from 'lodash/pick';

import contract from '../contract/inventory.json';
import { json, REFUSALS, Refusal } from './http';
import type { Inventory } from './inventory';
import type { Property } from './propertyData';
import { STAFF } from './propertyData';
import type { Requests } from './routes';
import type { Answer, DataCall } from './types';

const USUAL_PAGE = 50;
const MOST_IDS = 100;
const { BranchList, NegotiatorList } = contract.components.examples;

const BRANCHES = ['North', 'South', 'East', 'West'].map((name, index) => ({
	...BranchList.value.items[0],
	branchId: String(11 + index),
	name,
	status: index === 3 ? 'Inactive' : 'Active',
	defaultMarket: index === 1 ? 'Sale' : 'Rent',
}));
const NEGOTIATORS = STAFF.map((name, index) => ({
	...NegotiatorList.value.items[0],
	id: String(41 + index),
	name,
	email: `${name.toLowerCase().replace(' ', '.')}@example.com`,
}));

const SHOWN_IN_LISTS = [
	...(['branchId', 'recordType', 'archived', 'address'] as const),
	...(['managementType', 'maintenanceType', 'instructionDate'] as const),
];

/** Fields of a record that have another name than the parameter that asks for them. */
const FIELDS: Record<string, string> = { categoryType: 'category' };
const OF_LETTINGS = ['managementType', 'maintenanceType'];
const PAGE_PARAMETERS = ['maxResults', 'nextToken'];

/** Whether a property is one that the parameter asks for. The contract says which request takes which. */
function isAsked(property: Property, parameter: string, value: string, query: URLSearchParams) {
	const name = camelCase(parameter);
	const [, dated, end] = /^(.+?)(?:Date)?(From|To)$/.exec(name) ?? [];
	if (dated !== undefined) {
		const at = Date.parse(String(get(property, `${dated}Date`)));
		return end === 'From' ? at >= Date.parse(value) : at <= Date.parse(value);
	}
	if (name === 'address') return contains(addressText(property), value);
	if (name === 'query') return contains(`${addressText(property)} ${ownersOf(property)}`, value);
	if (name === 'branchIds') return query.getAll(parameter).includes(property.branchId);
	if (name === 'ownerId') return property.owners.some(({ ownerId }) => ownerId === value);
	if (PAGE_PARAMETERS.includes(name) || value === 'Unspecified') return true;
	// No sale passes what only lettings have. If the request is for sales, nothing is filtered by it.
	if (OF_LETTINGS.includes(name)) {
		if (query.get('recordType') === 'Sale') return true;
		if (property.recordType === 'Sale') return false;
	}
	return String(get(property, FIELDS[name] ?? name)) === value;
}

/** The requests of the inventory API. */
export function inventoryRequests(inventory: Inventory): Requests {
	const rows = (call: DataCall) => {
		const { items, nextToken } = pageOf(inventory, call, 'max-results', 'next-token');
		// On the last page, the token is absent here; in the list it is null. A client must take both.
		return json(200, { meta: nextToken === null ? {} : { nextToken }, items: items.map(row) });
	};
	const requests: Requests = {
		'GET /inventory': (call) => {
			const { items, ...meta } = pageOf(inventory, call, 'maxResults', 'nextToken');
			return json(200, { meta, items: items.map(({ id, address }) => ({ id, address })) });
		},
		'GET /inventory/search': rows,
		'GET /inventory/filter': rows,
		'GET /inventory/items': (call) => {
			const ids = call.query.getAll('inventory-id');
			if (ids.includes('')) throw refusal(400, 'inventory-id is empty');
			if (ids.length > MOST_IDS) throw refusal(400, `more than ${MOST_IDS} ids`);
			const items = inventory.read(agencyOf(call), new Set(ids));
			return json(200, { totalCount: items.length, items });
		},
		'GET /inventory/{inventoryId}': (call) => {
			const [record] = inventory.read(agencyOf(call), new Set([call.id]));
			if (record === undefined) throw refusal(404, 'there is none');
			return json(200, record);
		},
		'GET /branches': ({ query }) => {
			const isShown = ({ status }: { status: string }) =>
				query.get('activeOnly') !== 'true' || status === 'Active';
			return list(query, BRANCHES.filter(isShown));
		},
		'GET /negotiators': ({ query }) => list(query, NEGOTIATORS),
	};
	return mapValues(requests, (request) => (call: DataCall) => {
		if (call.client.agencyRefs.includes(agencyOf(call))) return request(call);
		throw refusal(403, 'AgencyRef is not one of this client');
	});
}

function refusal(status: number, detail: string): Refusal {
	return new Refusal(REFUSALS.inventory(status, detail));
}

function agencyOf({ headers }: DataCall): string {
	return String(headers.agencyref);
}

function pageOf(inventory: Inventory, call: DataCall, sizeName: string, tokenName: string) {
	const { query, path } = call;
	const isFound = (property: Property) =>
		[...query].every(([name, value]) => isAsked(property, name, value, query));
	const question = new URLSearchParams(query);
	question.delete(tokenName);
	const page = inventory.paging.cut({
		found: inventory.listed(agencyOf(call)).filter(isFound),
		size: Math.min(Number(query.get(sizeName) ?? USUAL_PAGE), inventory.mostOnPage),
		token: query.get(tokenName),
		question: [agencyOf(call), path, question.toString()].join('\n'),
	});
	if (page === undefined) throw refusal(400, `${tokenName} does not fit this request`);
	return page;
}

/** The token is how many came before. */
function list(query: URLSearchParams, all: object[]): Answer {
	const start = Number(query.get('next-token') ?? 0);
	const end = start + Number(query.get('max-results') ?? USUAL_PAGE);
	const nextToken = end < all.length ? String(end) : null;
	return json(200, { meta: { nextToken, previousToken: null }, items: all.slice(start, end) });
}

/** Whether the text holds every word, in any order. */
function contains(text: string, words: string): boolean {
	const all = words.toLowerCase().split(/[\s,]+/);
	return all.every((word) => text.toLowerCase().includes(word));
}

function addressText({ address }: Property): string {
	const { subDwelling, nameNo, street, locality, town, county, postcode } = address;
	return [subDwelling, nameNo, street, locality, town, county, postcode].join(' ');
}

function ownersOf({ owners }: Property): string {
	return owners.map(({ name }) => `${name.forename} ${name.surname}`).join(' ');
}

/** What a list shows of a record, under the list's own names. */
function row(property: Property) {
	return {
		...pick(property, SHOWN_IN_LISTS),
		inventoryId: property.id,
		createdAt: property.createdDate,
		modifiedAt: property.modifiedDate,
		categoryType: property.category,
		status: property.inventoryStatus,
	};
}
