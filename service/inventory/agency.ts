import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../basics/values';
import type { FailureDetails, NotFound } from '../failure';
import { ServiceError } from '../failure';
import type { Session } from '../session';
import { agencyHeader } from './agencyRef';

/** The three requests that answer in pages; the service spells their page parameters in two ways. */
export type PropertyList = 'address' | 'text' | 'filter';

interface ListRequest {
	path: string;
	size: string;
	token: string;
	/** How many rows come without asking for a number of them. */
	usual?: number;
	/** The forms of a 404 that mean “no rows”; every other one is about the address. */
	nothing: readonly NotFound[];
}

/** The address is all that is certain to be taken there, and only there a 404 is documented. */
const BY_ADDRESS: ListRequest = {
	path: '/inventory',
	size: 'maxResults',
	token: 'nextToken',
	usual: 50,
	nothing: ['problem', 'bare'],
};

const BY_QUERY = { size: 'max-results', token: 'next-token', nothing: ['problem'] } as const;

const LISTS: Record<PropertyList, Readonly<ListRequest>> = {
	address: BY_ADDRESS,
	text: { path: '/inventory/search', ...BY_QUERY },
	filter: { path: '/inventory/filter', ...BY_QUERY },
};

const LARGEST_PAGE = 250;

/** Below the service's own bound, and an address that every proxy takes. */
const IDS_AT_ONCE = 50;

const MOST_EMPTY_PAGES = 10;

const LIST_FIELDS = ['meta', 'totalCount', 'items'];

/** The service promises no field of a record; what has none of these is none. */
const RECORD_FIELDS = ['id', 'branchId', 'category', 'recordType', 'address', 'propertyType'];

/** Paths of other requests, and what a URL resolves away: no property has such an ID. */
const NO_IDS = ['', '..', '../..', 'items', 'search', 'filter'];

/** What proxies take for a part of the path even if it is encoded, and what no ID can hold. */
const NOT_IN_IDS = /[/\\\p{Cc}\p{Cs}]/u;

export function isPropertyId(id: string): boolean {
	return !NO_IDS.includes(id.toLowerCase()) && !NOT_IN_IDS.test(id);
}

/** The properties of one agency. */
export class Agency {
	constructor(
		private readonly session: Session,
		private readonly agencyRef: string,
	) {}

	/** The same for whoever asks the same agency with the same pair. */
	get identity(): string {
		return JSON.stringify([this.session.fingerprint, this.agencyRef]);
	}

	/**
	 * Rows of a list, in the service's order, page by page and no further than the limit needs.
	 *
	 * @throws ServiceError
	 */
	async list(list: PropertyList, query: IDataObject, limit: number): Promise<IDataObject[]> {
		const rows: IDataObject[] = [];
		const ids = new Set<string>();
		const tokens = new Set<string>();
		let emptyPages = 0;
		for (let next: string | undefined; ;) {
			const body = await this.page(LISTS[list], query, limit, next);
			const items = readItems(body);
			for (const item of items) rows.push(item);
			next = nextTokenOf(body);
			if (next !== undefined && isRepeated(items, ids)) throw endlessList();
			if (next === undefined || rows.length >= limit) return rows.slice(0, limit);
			emptyPages = items.length === 0 ? emptyPages + 1 : 0;
			if (tokens.has(next) || emptyPages >= MOST_EMPTY_PAGES) throw endlessList();
			tokens.add(next);
		}
	}

	/** A page of a list; without rows if the service says that it has none. */
	private async page(
		{ path, size, token, usual = 0, nothing }: ListRequest,
		query: IDataObject,
		limit: number,
		next: string | undefined,
	): Promise<IDataObject> {
		const [outcome] = await Promise.allSettled([
			this.get(path, {
				...query,
				...(limit > usual && { [size]: pageSize(limit) }),
				...(next !== undefined && { [token]: next }),
			}),
		]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (!isNotFound(error, nothing)) throw error;
		if (next !== undefined) throw lostPage(error.details);
		return {};
	}

	/** @throws ServiceError, of the kind `missing` when the agency has no such property */
	async property(id: string): Promise<IDataObject> {
		const [outcome] = await Promise.allSettled([
			this.get(`/inventory/${encodeURIComponent(id)}`, {}),
		]);
		if (outcome.status === 'fulfilled') return readProperty(outcome.value);
		const error: unknown = outcome.reason;
		throw isNotFound(error, NO_PROPERTY) ? unknownProperty(error.details) : error;
	}

	/**
	 * Whole properties in as few requests as it takes. One id that the service does not accept is
	 * found by halving, so that the others are not lost with it. What an answer leaves out although
	 * there may be more is asked for again.
	 *
	 * @returns by id: the property, or what became of it; nothing where the agency has no such property
	 */
	async properties(ids: string[]): Promise<Map<string, IDataObject | ServiceError>> {
		const outcomes = new Map<string, IDataObject | ServiceError>();
		for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
			await this.collect(ids.slice(start, start + IDS_AT_ONCE), outcomes);
		}
		return outcomes;
	}

	private async collect(
		ids: string[],
		outcomes: Map<string, IDataObject | ServiceError>,
	): Promise<void> {
		const [outcome] = await Promise.allSettled([
			this.get('/inventory/items', { 'inventory-id': ids }),
		]);
		if (outcome.status === 'fulfilled') return await this.keep(outcome.value, ids, outcomes);
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError)) throw error;
		const isOfOneId = error.kind === 'rejected' && error.details.notFound !== 'page';
		if (!isOfOneId || ids.length === 1) {
			const known = isNotFound(error, NO_PROPERTY) ? unknownProperty(error.details) : error;
			for (const id of ids) outcomes.set(id, known);
			return;
		}
		const middle = Math.ceil(ids.length / 2);
		await this.collect(ids.slice(0, middle), outcomes);
		await this.collect(ids.slice(middle), outcomes);
	}

	/** Keeps what a batch brought, and asks again for the rest unless it is sure that there is no more. */
	private async keep(
		body: IDataObject,
		ids: string[],
		outcomes: Map<string, IDataObject | ServiceError>,
	): Promise<void> {
		const found = byAskedId(ids, readItems(body));
		for (const [id, property] of found) outcomes.set(id, property);
		const isAll = isAllOf(body, found.size);
		const open = ids.filter((id) => !found.has(id) && (!isAll || isSpelledTwice(ids, id)));
		if (!isAll && found.size > 0 && open.length > 1) return await this.collect(open, outcomes);
		let last: IDataObject | ServiceError = {};
		for (const id of open) {
			if (!isDown(last)) last = await this.alone(id);
			outcomes.set(id, last);
		}
	}

	/** What is left open by a batch: the request for one property always says whether it is there. */
	private async alone(id: string): Promise<IDataObject | ServiceError> {
		const [outcome] = await Promise.allSettled([this.property(id)]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (error instanceof ServiceError) return error;
		throw error;
	}

	private async get(path: string, query: IDataObject): Promise<IDataObject> {
		const headers = agencyHeader(this.agencyRef);
		const { body } = await this.session.get({ path, query, headers, subject: this.agencyRef });
		return body;
	}
}

/** An id has no page of its own: where one comes back, the address is wrong. */
const NO_PROPERTY: readonly NotFound[] = ['problem', 'bare', 'other'];

function isNotFound(error: unknown, forms: readonly NotFound[]): error is ServiceError {
	if (!(error instanceof ServiceError)) return false;
	const { notFound } = error.details;
	return notFound !== undefined && forms.includes(notFound);
}

/** An ID that a batch surely does not have, or that alone is answered with 404. */
export function unknownProperty(details: FailureDetails = {}): ServiceError {
	return new ServiceError('missing', 'The service found no such property (404)', {
		status: 404,
		...details,
		remedy: 'Check the ID, and that the property belongs to the agency that the AgencyRef names.',
	});
}

/** The same for all pages of a list, since a page token belongs to its question. */
function pageSize(limit: number): number {
	if (limit === Infinity) return LARGEST_PAGE;
	return Math.ceil(limit / Math.ceil(limit / LARGEST_PAGE));
}

/**
 * The service requires no field: an empty list may lack its items, and all that is beside them.
 *
 * @returns the records; undefined for an answer that is no list
 */
function itemsIn(body: IDataObject): IDataObject[] | undefined {
	const items: unknown = body.items;
	if (Array.isArray(items) && items.every(isObject)) return items;
	const isOfList = Object.keys(body).every((key) => LIST_FIELDS.includes(key));
	return items === null || (items === undefined && isOfList) ? [] : undefined;
}

/** Whether an answer is a list of properties. */
export function isPropertyList(body: unknown): boolean {
	return isObject(body) && itemsIn(body) !== undefined;
}

function readItems(body: IDataObject): IDataObject[] {
	const items = itemsIn(body);
	if (items) return items;
	throw new ServiceError('foreign', 'The service answered without a list of properties');
}

/** The last page has none: absent, null, empty or 0. */
function nextTokenOf({ meta }: IDataObject): string | undefined {
	const token = isObject(meta) ? meta.nextToken : undefined;
	return token === 0 ? undefined : textOf(token) || undefined;
}

/**
 * Whether a page brings only what came before, as from a service that overlooks the page token.
 *
 * @param ids of the rows that came before; those of the page are added
 */
function isRepeated(items: IDataObject[], ids: Set<string>): boolean {
	const own = items.map((item) => idOf(item) || rowIdOf(item));
	const isKnown = own.length > 0 && own.every((id) => id !== '' && ids.has(id));
	for (const id of own) ids.add(id);
	return isKnown;
}

/**
 * Whether a batch holds all that the agency has of what was asked for. A service that does not count,
 * or not what it sends, leaves it open; so does a property that is none of those asked for.
 */
function isAllOf(body: IDataObject, found: number): boolean {
	return body.totalCount === found && readItems(body).length === found;
}

/**
 * The properties of a batch by the IDs that were asked for. Upper and lower case may differ as long
 * as it is clear which one is meant.
 */
function byAskedId(ids: string[], properties: IDataObject[]): Map<string, IDataObject> {
	const exact = groupBy(properties, idOf);
	const loose = groupBy(properties, (property) => idOf(property).toLowerCase());
	const found = new Map<string, IDataObject>();
	for (const id of ids) {
		const alike = isSpelledTwice(ids, id) ? undefined : loose[id.toLowerCase()];
		const property = exact[id]?.[0] ?? (alike?.length === 1 ? alike[0] : undefined);
		if (property) found.set(id, property);
	}
	return found;
}

/** Whether IDs are asked for that only differ in upper and lower case: a service may take them for one. */
function isSpelledTwice(ids: string[], id: string): boolean {
	return ids.some((other) => other !== id && other.toLowerCase() === id.toLowerCase());
}

/** Whether the service did not answer in all its tries: nothing more is asked then. */
function isDown(outcome: IDataObject | ServiceError): boolean {
	return outcome instanceof ServiceError && outcome.isTransient && outcome.isFinal;
}

function idOf({ id }: IDataObject): string {
	return textOf(id);
}

/** Search and filter name it in their own way. */
function rowIdOf({ inventoryId }: IDataObject): string {
	return textOf(inventoryId);
}

/** Text as it is, a number as text; empty for everything else. */
function textOf(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function lostPage(details: FailureDetails): ServiceError {
	const message = 'The service’s list broke off: it does not know its own next page (404)';
	return new ServiceError('unavailable', message, details);
}

function readProperty(body: IDataObject): IDataObject {
	if (RECORD_FIELDS.some((field) => field in body)) return body;
	if (Object.keys(body).length > 0) {
		throw new ServiceError('foreign', 'The service answered without the record of a property');
	}
	throw new ServiceError('unavailable', 'The service left open whether there is this property');
}

function endlessList(): ServiceError {
	return new ServiceError(
		'foreign',
		'The service’s list does not end: it repeats a page, or sends one empty page after another',
	);
}
