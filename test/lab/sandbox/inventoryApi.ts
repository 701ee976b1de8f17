import { createHmac, randomBytes } from 'node:crypto';

import { inventoryError } from './errors';
import { Refusal, json } from './http';
import type { Inventory } from './inventory';
import type { ListRequest } from './inventoryQuery';
import { LIST_REQUESTS, badRequest, readConditions, single } from './inventoryQuery';
import type { Property } from './propertyData';
import type { Answer, Call, Client } from './types';

interface Page {
	items: Property[];
	nextToken: string | null;
	previousToken: string | null;
}

const USUAL_PAGE = 50;
const LARGEST_PAGE = 250;
const MOST_IDS = 100;
const BY_ID = /^\/inventory\/([^/]+)$/;

/** The five requests for properties. */
export class InventoryApi {
	private readonly tokenKey = randomBytes(16);
	private readonly requests: Record<
		string,
		(properties: Property[], call: Call, agencyRef: string) => Answer
	>;

	constructor(private readonly inventory: Inventory) {
		this.requests = {
			'/inventory': (...request) => this.list(...request),
			'/inventory/items': (properties, call) => items(properties, call.query),
			'/inventory/search': (...request) => this.rows(LIST_REQUESTS.search, ...request),
			'/inventory/filter': (...request) => this.rows(LIST_REQUESTS.filter, ...request),
		};
	}

	/** @param path below the base address */
	template(path: string): string | undefined {
		if (path in this.requests) return path;
		return BY_ID.test(path) ? '/inventory/{id}' : undefined;
	}

	/** @param path below the base address */
	handle(path: string, call: Call, client: Client): Answer {
		if (call.method !== 'GET') throw new Refusal(inventoryError(405, 'use GET', path));
		const agencyRef = readAgencyRef(call, client);
		const properties = this.inventory.of(agencyRef);
		const request = this.requests[path];
		return request === undefined
			? one(properties, path, call.query)
			: request(properties, call, agencyRef);
	}

	private list(properties: Property[], call: Call, agencyRef: string): Answer {
		const page = this.page(LIST_REQUESTS.list, properties, call, agencyRef);
		const { nextToken, previousToken } = page;
		const rows = page.items.map(({ id, address }) => ({ id, address }));
		return json(200, { meta: { nextToken, previousToken }, items: rows });
	}

	private rows(
		request: ListRequest,
		properties: Property[],
		call: Call,
		agencyRef: string,
	): Answer {
		const page = this.page(request, properties, call, agencyRef);
		// On the last page, the token is absent here; in the list it is null. A client must take both.
		const meta = page.nextToken === null ? {} : { nextToken: page.nextToken };
		return json(200, { meta, items: page.items.map(row) });
	}

	private page(request: ListRequest, properties: Property[], call: Call, agencyRef: string): Page {
		const test = readConditions(request, call.query);
		const size = Math.min(readSize(request, call.query), this.inventory.mostOnPage);
		const token = this.tokens(request, call, agencyRef);
		const start = token.read();
		const found = properties.filter(test);
		return {
			items: found.slice(start, start + size),
			nextToken: start + size < found.length ? token.write(start + size) : null,
			previousToken: start > 0 ? token.write(Math.max(0, start - size)) : null,
		};
	}

	/** A page token holds where the page starts, signed together with the query: it is of no use for another query. */
	private tokens({ tokenParameter }: ListRequest, call: Call, agencyRef: string) {
		const question = new URLSearchParams(call.query);
		question.delete(tokenParameter);
		question.sort();
		const write = (start: number) => {
			const signed = `${start}\n${agencyRef}\n${call.path}\n${question.toString()}`;
			const seal = createHmac('sha256', this.tokenKey).update(signed).digest('base64url');
			return Buffer.from(`${start}.${seal.slice(0, 22)}`).toString('base64url');
		};
		const read = () => {
			if (!call.query.has(tokenParameter)) return 0;
			const token = single(tokenParameter, call.query.getAll(tokenParameter));
			const start = Number.parseInt(Buffer.from(token, 'base64url').toString('latin1'), 10);
			if (token !== write(start)) throw badRequest(`${tokenParameter} does not fit this request`);
			return start;
		};
		return { read, write };
	}
}

export function readAgencyRef(call: Call, client: Client): string {
	const agencyRef = call.headers.agencyref;
	if (typeof agencyRef !== 'string' || agencyRef === '') throw badRequest('AgencyRef is missing');
	if (!client.agencyRefs.includes(agencyRef)) {
		throw new Refusal(inventoryError(403, 'AgencyRef is not one of this client', call.path));
	}
	return agencyRef;
}

function readSize({ sizeParameter }: ListRequest, query: URLSearchParams): number {
	if (!query.has(sizeParameter)) return USUAL_PAGE;
	const text = single(sizeParameter, query.getAll(sizeParameter));
	const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
	if (size < 1 || size > LARGEST_PAGE) throw badRequest(`${sizeParameter} is 1 to ${LARGEST_PAGE}`);
	return size;
}

function items(properties: Property[], query: URLSearchParams): Answer {
	const unknown = [...query.keys()].find((name) => name !== 'inventory-id');
	if (unknown !== undefined) throw badRequest(`unknown parameter ${unknown}`);
	const ids = new Set(query.getAll('inventory-id'));
	if (ids.size === 0 || ids.has('')) throw badRequest('inventory-id is required');
	if (query.getAll('inventory-id').length > MOST_IDS) throw badRequest(`more than ${MOST_IDS} ids`);
	const found = properties.filter((property) => ids.has(property.id));
	return json(200, { totalCount: found.length, items: found });
}

function one(properties: Property[], path: string, query: URLSearchParams): Answer {
	if (query.size > 0) throw badRequest('no parameters here');
	const id = decoded(BY_ID.exec(path)?.[1] ?? '');
	const found = properties.find((property) => property.id === id);
	if (found === undefined) throw new Refusal(inventoryError(404, 'no such property', path));
	return json(200, found);
}

function decoded(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		throw badRequest('the path is not percent-encoded');
	}
}

/** What a list shows of a record, under the list's own names. */
function row(property: Property) {
	const { id, branchId, createdDate, modifiedDate, category, recordType } = property;
	const { archived, inventoryStatus, address, managementType, maintenanceType } = property;
	return {
		inventoryId: id,
		branchId,
		createdAt: createdDate,
		modifiedAt: modifiedDate,
		categoryType: category,
		recordType,
		archived,
		status: inventoryStatus,
		address,
		managementType,
		maintenanceType,
		instructionDate: property.instructionDate,
	};
}
