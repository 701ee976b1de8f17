import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { isObject } from './answer';
import type { FailureDetails } from './errors';
import { ServiceError } from './errors';
import { inventoryAddress, inventoryGrant } from './grant';
import type { Integration, Session } from './request';

export const INVENTORY_INTEGRATION: Integration = {
	credentialType: 'agentInventoryApi',
	grant: inventoryGrant,
	baseUrl: inventoryAddress,
};

/** The three requests that answer in pages; the service spells their page parameters in two ways. */
export type PropertyList = 'address' | 'text' | 'filter';

const LISTS: Record<PropertyList, { path: string; size: string; token: string }> = {
	address: { path: '/inventory', size: 'maxResults', token: 'nextToken' },
	text: { path: '/inventory/search', size: 'max-results', token: 'next-token' },
	filter: { path: '/inventory/filter', size: 'max-results', token: 'next-token' },
};

const LARGEST_PAGE = 250;

/** Below the service's own bound, and an address that every proxy takes. */
const IDS_AT_ONCE = 50;

const MOST_EMPTY_PAGES = 10;

/** Paths of other requests, and what a URL resolves away: no property has such an ID. */
const NO_IDS = ['', '.', '..', 'items', 'search', 'filter'];

/** An AgencyRef as it may stand in a header, which no line break can get into; else undefined. */
export function toAgencyRef(value: unknown): string | undefined {
	const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
	return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : undefined;
}

/**
 * The credential's own AgencyRef.
 *
 * @throws ServiceError of kind `credential`
 */
export function agencyRefOf({ agencyRef }: ICredentialDataDecryptedObject): string {
	const valid = toAgencyRef(agencyRef);
	if (valid !== undefined) return valid;
	const isMissing = agencyRef === undefined || agencyRef === '';
	throw new ServiceError(
		'credential',
		isMissing
			? '“AgencyRef” is empty in the credential'
			: '“AgencyRef” in the credential holds characters that it cannot have',
	);
}

export function agencyHeader(agencyRef: string): Record<string, string> {
	return { AgencyRef: agencyRef };
}

/** Adds the credential's AgencyRef to a request that names none itself. */
export function withAgency<T extends { headers?: object }>(
	credentials: ICredentialDataDecryptedObject,
	options: T,
): T {
	const names = Object.keys(options.headers ?? {}).map((name) => name.toLowerCase());
	if (names.includes('agencyref')) return options;
	return { ...options, headers: { ...options.headers, ...agencyHeader(agencyRefOf(credentials)) } };
}

export function isPropertyId(id: string): boolean {
	return !NO_IDS.includes(id);
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
		const { path, size, token } = LISTS[list];
		const rows: IDataObject[] = [];
		const tokens = new Set<string>();
		let emptyPages = 0;
		for (let next: string | undefined; ;) {
			const page = { [size]: pageSize(limit), ...(next !== undefined && { [token]: next }) };
			const body = await this.get(path, { ...query, ...page });
			const items = readItems(body);
			for (const item of items) rows.push(item);
			next = nextTokenOf(body);
			if (next === undefined || rows.length >= limit) return rows.slice(0, limit);
			emptyPages = items.length === 0 ? emptyPages + 1 : 0;
			if (tokens.has(next) || emptyPages >= MOST_EMPTY_PAGES) throw endlessList();
			tokens.add(next);
		}
	}

	/** @throws ServiceError, of the kind `missing` when the agency has no such property */
	async property(id: string): Promise<IDataObject> {
		const [outcome] = await Promise.allSettled([
			this.get(`/inventory/${encodeURIComponent(id)}`, {}),
		]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		throw error instanceof ServiceError && error.details.status === 404
			? unknownProperty(error.details)
			: error;
	}

	/**
	 * Whole properties in as few requests as it takes. One id that the service does not accept is
	 * found by halving, so that the others are not lost with it.
	 *
	 * @returns by id: the property, or what became of it
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
		if (outcome.status === 'fulfilled') {
			for (const item of readItems(outcome.value)) outcomes.set(idOf(item), item);
			return;
		}
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError)) throw error;
		if (error.kind !== 'rejected' || ids.length === 1) {
			for (const id of ids) outcomes.set(id, error);
			return;
		}
		const middle = Math.ceil(ids.length / 2);
		await this.collect(ids.slice(0, middle), outcomes);
		await this.collect(ids.slice(middle), outcomes);
	}

	private async get(path: string, query: IDataObject): Promise<IDataObject> {
		const headers = agencyHeader(this.agencyRef);
		const { body } = await this.session.get({ path, query, headers, subject: this.agencyRef });
		return body;
	}
}

/** What a batch did not bring up, the agency does not have. */
export function unknownProperty(details: FailureDetails = {}): ServiceError {
	const known: FailureDetails = { api: 'inventory', step: 'data', status: 404, ...details };
	return new ServiceError('missing', 'The service found no such property (404)', known);
}

/** The same for all pages of a list, since a page token belongs to its question. */
function pageSize(limit: number): number {
	if (limit === Infinity) return LARGEST_PAGE;
	return Math.ceil(limit / Math.ceil(limit / LARGEST_PAGE));
}

function readItems(body: IDataObject): IDataObject[] {
	const items: unknown = body.items;
	if (Array.isArray(items) && items.every(isObject)) return items;
	if (items === null) return [];
	throw new ServiceError('foreign', 'The service answered without a list of properties', {
		api: 'inventory',
		step: 'data',
	});
}

/** The last page has none: absent, null or empty. */
function nextTokenOf({ meta }: IDataObject): string | undefined {
	const token = isObject(meta) ? meta.nextToken : undefined;
	return typeof token === 'string' && token !== '' ? token : undefined;
}

function idOf({ inventoryId, id }: IDataObject): string {
	const found = inventoryId ?? id;
	return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

function endlessList(): ServiceError {
	return new ServiceError(
		'foreign',
		'The service’s list does not end: it repeats a page, or sends one empty page after another',
		{ api: 'inventory', step: 'data' },
	);
}
