import type { IDataObject } from 'n8n-workflow';

import type { FailureDetails, NotFound } from '../failure';
import { orFailure, ServiceError } from '../failure';
import type { Session } from '../session';
import { agencyHeader, agencyKey } from './agencyRef';
import {
	asUnknownProperty,
	branchIdOf,
	isNotFound,
	listedIdOf,
	nextTokenOf,
	propertyIdOf,
	readProperty,
	readRows,
} from './records';

/** The requests for properties that answer in pages; the service spells their page parameters in two ways. */
export type PropertyList = 'address' | 'text' | 'filter';

/** All requests that answer in pages. */
export type AgencyList = PropertyList | 'branches' | 'negotiators';

interface ListRequest {
	path: string;
	/** What it lists, as a person calls it. */
	of: 'properties' | 'branches' | 'negotiators';
	/** The ID of a row; empty if it has none. */
	idOf: (row: IDataObject) => string;
	size: string;
	token: string;
	/** The forms of a 404 that mean “no rows”; every other one is about the address. */
	nothing: readonly NotFound[];
}

/** It alone documents a 404. */
const BY_ADDRESS: ListRequest = {
	path: '/inventory',
	of: 'properties',
	idOf: listedIdOf,
	size: 'maxResults',
	token: 'nextToken',
	nothing: ['problem', 'bare'],
};

const BY_QUERY = { size: 'max-results', token: 'next-token', nothing: ['problem'] } as const;

const ROWS = { of: 'properties', idOf: listedIdOf, ...BY_QUERY } as const;

const LIST_REQUESTS: Record<AgencyList, Readonly<ListRequest>> = {
	address: BY_ADDRESS,
	text: { path: '/inventory/search', ...ROWS },
	filter: { path: '/inventory/filter', ...ROWS },
	branches: { path: '/branches', of: 'branches', idOf: branchIdOf, ...BY_QUERY },
	negotiators: { path: '/negotiators', of: 'negotiators', idOf: propertyIdOf, ...BY_QUERY },
};

const LARGEST_PAGE = 250;

const MOST_EMPTY_PAGES = 10;

/** The properties of one agency, its branches and its negotiators. */
export class Agency {
	constructor(
		private readonly session: Session,
		private readonly agencyRef: string,
		/** Aborted when nobody needs its answers any more. */
		private readonly needed?: AbortSignal,
	) {}

	/** The same agency, whose requests end with a signal as well. */
	endingWith(signal: AbortSignal): Agency {
		const { session, agencyRef, needed } = this;
		const signals = [needed, signal].filter((each) => each !== undefined);
		return new Agency(session, agencyRef, AbortSignal.any(signals));
	}

	/** The same for whoever asks the same agency with the same pair. */
	get identity(): string {
		return JSON.stringify([this.session.fingerprint, agencyKey(this.agencyRef)]);
	}

	/**
	 * Rows of a list, in the service's order, page by page and no further than the limit needs.
	 *
	 * @throws ServiceError
	 */
	async list(list: AgencyList, query: IDataObject, limit: number): Promise<IDataObject[]> {
		const request = LIST_REQUESTS[list];
		const rows: IDataObject[] = [];
		const ids = new Set<string>();
		const tokens = new Set<string>();
		let emptyPages = 0;
		for (let next: string | undefined; ;) {
			const body = await this.page(request, query, limit, next);
			const items = readRows(body, request.of);
			for (const item of items) rows.push(item);
			next = nextTokenOf(body);
			if (next !== undefined && isRepeated(items.map(request.idOf), ids)) throw endlessList();
			if (next === undefined || rows.length >= limit) return rows.slice(0, limit);
			emptyPages = items.length === 0 ? emptyPages + 1 : 0;
			if (tokens.has(next) || emptyPages >= MOST_EMPTY_PAGES) throw endlessList();
			tokens.add(next);
		}
	}

	/**
	 * As many rows as the service sends at once.
	 *
	 * @param next the token of the page; undefined for the first one
	 * @returns the rows, and the token of the next page if there is one
	 * @throws ServiceError
	 */
	async pageOf(
		list: AgencyList,
		query: IDataObject,
		next?: string,
	): Promise<{ rows: IDataObject[]; next?: string }> {
		const request = LIST_REQUESTS[list];
		const body = await this.page(request, query, Infinity, next);
		const following = nextTokenOf(body);
		if (following !== undefined && following === next) throw endlessList();
		return { rows: readRows(body, request.of), next: following };
	}

	/**
	 * A page of a list; without rows if the service says that it has none.
	 *
	 * @param limit how many rows are wanted in all
	 * @param next the token of the page; undefined for the first one
	 */
	private async page(
		{ path, size, token, nothing }: ListRequest,
		query: IDataObject,
		limit: number,
		next?: string,
	): Promise<IDataObject> {
		const paged = {
			...query,
			[size]: pageSize(limit),
			...(next !== undefined && { [token]: next }),
		};
		const body = await orFailure(this.get(path, paged));
		if (!(body instanceof ServiceError)) return body;
		if (!isNotFound(body, nothing)) throw body;
		if (next !== undefined) throw lostPage(body.details);
		return {};
	}

	/**
	 * The service promises no field of a record: one without an ID gets the one that it was asked for by.
	 *
	 * @throws ServiceError, of the kind `missing` if the agency has no such property
	 */
	async property(id: string): Promise<IDataObject> {
		const answer = await orFailure(this.get(`/inventory/${encodeURIComponent(id)}`, {}));
		if (answer instanceof ServiceError) throw asUnknownProperty(answer, id);
		const record = readProperty(answer);
		return propertyIdOf(record) === '' ? { ...record, id } : record;
	}

	/**
	 * The answer for several IDs; `fetchProperties` reads it.
	 *
	 * @throws ServiceError
	 */
	async batch(ids: string[]): Promise<IDataObject> {
		return await this.get('/inventory/items', { 'inventory-id': ids });
	}

	private async get(path: string, query: IDataObject): Promise<IDataObject> {
		const { session, agencyRef, needed } = this;
		const request = { path, query, headers: agencyHeader(agencyRef) };
		return (await session.get(request, { needed })).body;
	}
}

/** The same for all pages of a list, since a page token belongs to its question. */
function pageSize(limit: number): number {
	if (limit === Infinity) return LARGEST_PAGE;
	return Math.ceil(limit / Math.ceil(limit / LARGEST_PAGE));
}

/**
 * Whether a page brings only what came before, as from a service that overlooks the page token.
 *
 * @param own of its rows
 * @param ids of the rows that came before; those of the page are added
 */
function isRepeated(own: string[], ids: Set<string>): boolean {
	const isKnown = own.length > 0 && own.every((id) => id !== '' && ids.has(id));
	for (const id of own) ids.add(id);
	return isKnown;
}

function lostPage(details: FailureDetails): ServiceError {
	const message = 'The service’s list broke off: it does not know its own next page (404)';
	return new ServiceError('unavailable', message, { ...details, helpCode: 'unreadableAnswer' });
}

function endlessList(): ServiceError {
	return new ServiceError(
		'foreign',
		'The service’s list never ends: it repeats a page, or sends one empty page after another',
		{
			remedy:
				'Check the Inventory URL in the credential. If it is right, tell the operator of the service. Until then, set a Limit of 50 or less, or add filters.',
			helpCode: 'unreadableAnswer',
		},
	);
}
