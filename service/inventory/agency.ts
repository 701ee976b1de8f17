import type { IDataObject } from 'n8n-workflow';

import type { FailureDetails } from '../failure';
import { orFailure, ServiceError } from '../failure';
import type { Session } from '../session';
import { agencyKey } from './agencyRef';
import { asUnknownProperty, nextTokenOf, propertyIdOf, readProperty, readRows } from './records';

/** The requests that list properties. The service uses two spellings for their page parameters. */
export type PropertyList = 'address' | 'text' | 'filter';

const BY_QUERY = { size: 'max-results', token: 'next-token' };

/**
 * All requests whose answers the service splits into pages: the path, the word for the records in messages, and the
 * names of the page parameters.
 */
const LIST_REQUESTS = {
	address: { path: '/inventory', of: 'properties', size: 'maxResults', token: 'nextToken' },
	text: { path: '/inventory/search', of: 'properties', ...BY_QUERY },
	filter: { path: '/inventory/filter', of: 'properties', ...BY_QUERY },
	branches: { path: '/branches', of: 'branches', ...BY_QUERY },
	negotiators: { path: '/negotiators', of: 'negotiators', ...BY_QUERY },
};

type AgencyList = keyof typeof LIST_REQUESTS;

const LARGEST_PAGE = 250;

/** Reads the properties, branches and negotiators of one agency. */
export class Agency {
	constructor(
		private readonly session: Session,
		private readonly agencyRef: string,
		/** A signal that stops the requests when their answers are no longer needed. */
		private readonly needed?: AbortSignal,
	) {}

	/** Makes an `Agency` for the same agency whose requests also stop when this signal is aborted. */
	endingWith(signal: AbortSignal): Agency {
		const { session, agencyRef, needed } = this;
		const signals = [needed, signal].filter((each) => each !== undefined);
		return new Agency(session, agencyRef, AbortSignal.any(signals));
	}

	/** A text that identifies the agency together with the client ID and secret that are used to read it. */
	get identity(): string {
		return JSON.stringify([this.session.fingerprint, agencyKey(this.agencyRef)]);
	}

	/**
	 * Reads the rows of a list in the service's order, page by page, until it has as many as the limit.
	 *
	 * @throws ServiceError
	 */
	async list(list: AgencyList, query: IDataObject, limit: number): Promise<IDataObject[]> {
		const rows: IDataObject[] = [];
		for (let next: string | undefined; ;) {
			const page = await this.pageOf(list, query, next, limit);
			rows.push(...page.rows);
			({ next } = page);
			if (next === undefined || rows.length >= limit) return rows.slice(0, limit);
		}
	}

	/**
	 * Reads one page of a list.
	 *
	 * @param next the token of the page; undefined for the first one
	 * @param limit the number of rows that the caller wants in all
	 * @returns the rows, and the token of the next page if there is one
	 * @throws ServiceError
	 */
	async pageOf(
		list: AgencyList,
		query: IDataObject,
		next?: string,
		limit = Infinity,
	): Promise<{ rows: IDataObject[]; next?: string }> {
		const { path, of, size, token } = LIST_REQUESTS[list];
		const paged = {
			...query,
			// The page size is the same for all pages of a list, because a page token is only valid for the request
			// that produced it.
			[size]: Math.min(limit, LARGEST_PAGE),
			...(next !== undefined && { [token]: next }),
		};
		const body = await orFailure(this.get(path, paged));
		if (body instanceof ServiceError) {
			// If the service itself answers 404, the list has no rows. A 404 from another server means that the address
			// is wrong.
			if (!body.details.isOwnNotFound) throw body;
			if (next !== undefined) throw lostPage(body.details);
			return { rows: [] };
		}
		const following = nextTokenOf(body);
		if (following !== undefined && following === next) throw endlessList();
		return { rows: readRows(body, of), next: following };
	}

	/**
	 * Reads one property. The API's contract requires no field of a record, so a record without an ID gets the ID that
	 * was asked for.
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
	 * Asks for several property IDs with one request, and returns the answer unread; `fetchProperties` reads it.
	 *
	 * @throws ServiceError
	 */
	async batch(ids: string[]): Promise<IDataObject> {
		return await this.get('/inventory/items', { 'inventory-id': ids });
	}

	private async get(path: string, query: IDataObject): Promise<IDataObject> {
		const { session, agencyRef, needed } = this;
		const request = { path, query, headers: { AgencyRef: agencyRef } };
		return await session.get(request, { needed });
	}
}

function lostPage(details: FailureDetails): ServiceError {
	const message = 'The service’s list ended early: it answered 404 for its own next page';
	return new ServiceError('unavailable', message, { ...details, helpCode: 'unreadableAnswer' });
}

function endlessList(): ServiceError {
	return new ServiceError('foreign', 'The service’s list never ends: a page is its own next page', {
		remedy:
			'Check the “Inventory URL” in the credential. If it is right, tell the operator of the service. Until then, set a “Limit” of 50 or less, or add filters.',
		helpCode: 'unreadableAnswer',
	});
}
