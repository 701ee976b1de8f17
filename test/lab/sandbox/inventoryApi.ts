import { inventoryError } from './errors';
import { Refusal, json } from './http';
import type { Inventory } from './inventory';
import type { ListRequest } from './inventoryQuery';
import { LIST_REQUESTS, badRequest, readConditions, single } from './inventoryQuery';
import type { Page } from './paging';
import type { Property } from './propertyData';
import type { Answer, Call, Client } from './types';

const USUAL_PAGE = 50;
const LARGEST_PAGE = 250;
const MOST_IDS = 100;
const BY_ID = /^\/inventory\/([^/]+)$/;

/** The five requests for properties. */
export class InventoryApi {
	private readonly requests: Record<string, (agencyRef: string, call: Call) => Answer> = {
		'/inventory': (...request) => this.list(...request),
		'/inventory/items': (...request) => this.items(...request),
		'/inventory/search': (...request) => this.rows(LIST_REQUESTS.search, ...request),
		'/inventory/filter': (...request) => this.rows(LIST_REQUESTS.filter, ...request),
	};

	constructor(private readonly inventory: Inventory) {}

	/** @param path below the base address */
	template(path: string): string | undefined {
		if (path in this.requests) return path;
		return BY_ID.test(path) ? '/inventory/{id}' : undefined;
	}

	/** @param path below the base address */
	handle(path: string, call: Call, client: Client): Answer {
		if (call.method !== 'GET') throw new Refusal(inventoryError(405, 'use GET', path));
		const agencyRef = readAgencyRef(call, client);
		const request = this.requests[path];
		return request === undefined ? this.one(agencyRef, path, call) : request(agencyRef, call);
	}

	private list(agencyRef: string, call: Call): Answer {
		const page = this.page(LIST_REQUESTS.list, agencyRef, call);
		const { nextToken, previousToken } = page;
		const rows = page.items.map(({ id, address }) => ({ id, address }));
		return json(200, { meta: { nextToken, previousToken }, items: rows });
	}

	private rows(request: ListRequest, agencyRef: string, call: Call): Answer {
		const page = this.page(request, agencyRef, call);
		// On the last page, the token is absent here; in the list it is null. A client must take both.
		const meta = page.nextToken === null ? {} : { nextToken: page.nextToken };
		return json(200, { meta, items: page.items.map(row) });
	}

	private items(agencyRef: string, { query }: Call): Answer {
		const unknown = [...query.keys()].find((name) => name !== 'inventory-id');
		if (unknown !== undefined) throw badRequest(`unknown parameter ${unknown}`);
		const ids = new Set(query.getAll('inventory-id'));
		if (ids.size === 0 || ids.has('')) throw badRequest('inventory-id is required');
		if (query.getAll('inventory-id').length > MOST_IDS)
			throw badRequest(`more than ${MOST_IDS} ids`);
		const found = this.inventory.read(agencyRef, ids);
		return json(200, { totalCount: found.length, items: found });
	}

	private one(agencyRef: string, path: string, { query }: Call): Answer {
		if (query.size > 0) throw badRequest('no parameters here');
		const id = decoded(BY_ID.exec(path)?.[1] ?? '');
		const [found] = this.inventory.read(agencyRef, new Set([id]));
		if (found === undefined) throw new Refusal(inventoryError(404, 'no such property', path));
		return json(200, found);
	}

	private page(request: ListRequest, agencyRef: string, call: Call): Page {
		const { tokenParameter: name } = request;
		const test = readConditions(request, call.query);
		const size = Math.min(readSize(request, call.query), this.inventory.mostOnPage);
		const token = call.query.has(name) ? single(name, call.query.getAll(name)) : undefined;
		const page = this.inventory.paging.cut({
			found: this.inventory.listed(agencyRef).filter(test),
			size,
			token,
			question: questionOf(call, name, agencyRef),
		});
		if (page === undefined) throw badRequest(`${name} does not fit this request`);
		return page;
	}
}

/** What is asked, without which page of it. */
function questionOf({ path, query }: Call, tokenParameter: string, agencyRef: string): string {
	const question = new URLSearchParams(query);
	question.delete(tokenParameter);
	question.sort();
	return [agencyRef, path, question.toString()].join('\n');
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
