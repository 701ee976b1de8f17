import { isRecord, jsonIn } from '../values';
import { isType } from './http';
import type { ActivationRequest, Highlight, Product } from './products';
import { ProductsRefusal, invalid } from './productsRefusal';
import type { Call } from './types';

const LARGEST_DETAILS = 640_000;

const LIST_PARAMETERS: Record<Product, string[]> = {
	'premium-listings': ['listingId', 'customerListingId', 'date_from', 'date_to', 'isPremium'],
	'weekly-featured-properties': ['listingId', 'customerListingId', 'date_from', 'isWFP'],
};
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

export function readBody(call: Call): Record<string, unknown> {
	if (call.bodyTooLarge) throw new ProductsRefusal(413, 'The body is too large', 'details');
	if (!isType(call.headers['content-type'], 'application/json')) {
		throw invalid('The body is JSON', 'unreadable');
	}
	const body = jsonIn(call.body);
	if (!isRecord(body)) throw invalid('The body is not a JSON object', 'unreadable');
	return body;
}

export function readActivation(
	product: Product,
	body: Record<string, unknown>,
	find: (customerListingId: string) => number,
): ActivationRequest {
	const premium = product === 'premium-listings';
	const fields = ['listingId', 'customerListingId', 'customDetails'];
	requireOnly(body, premium ? [...fields, 'highlights'] : fields);
	return {
		listingId: readListing(body, find),
		customDetails: readDetails(body.customDetails),
		highlights: body.highlights === undefined ? undefined : readHighlights(body.highlights),
	};
}

export function readUpdate(body: Record<string, unknown>): Highlight[] {
	requireOnly(body, ['highlights']);
	return readHighlights(body.highlights);
}

function requireOnly(body: Record<string, unknown>, fields: string[]): void {
	const extra = Object.keys(body).find((name) => !fields.includes(name));
	if (extra !== undefined) throw invalid(`Unexpected ${extra}`);
}

function readListing(
	{ listingId, customerListingId }: Record<string, unknown>,
	find: (customerListingId: string) => number,
): number {
	if (listingId !== undefined && customerListingId !== undefined) {
		throw invalid('Not both of listingId and customerListingId', 'twoIds');
	}
	if (customerListingId === undefined) {
		if (typeof listingId === 'number' && Number.isSafeInteger(listingId) && listingId > 0) {
			return listingId;
		}
		throw invalid('listingId is a number, or there is a customerListingId');
	}
	if (typeof customerListingId !== 'string' || customerListingId.trim() === '') {
		throw invalid('customerListingId is a string');
	}
	return find(customerListingId);
}

function readDetails(details: unknown): Record<string, unknown> | undefined {
	if (details === undefined) return undefined;
	if (!isRecord(details)) throw invalid('customDetails is an object');
	if (Buffer.byteLength(JSON.stringify(details)) > LARGEST_DETAILS) {
		throw new ProductsRefusal(413, 'customDetails is larger than 640 kB', 'details');
	}
	return details;
}

function readHighlights(value: unknown): Highlight[] {
	if (!Array.isArray(value)) throw invalid('highlights is an array', 'highlights');
	return value.map(readHighlight);
}

function readHighlight(value: unknown): Highlight {
	if (!isRecord(value)) throw invalid('A highlight is an object', 'highlights');
	requireOnly(value, ['id', 'description']);
	const { id, description } = value;
	if (typeof id !== 'number' || !Number.isInteger(id)) {
		throw invalid('The id of a highlight is an integer', 'highlights');
	}
	if (description === undefined) return { id };
	if (typeof description !== 'string') {
		throw invalid('The description of a highlight is a string', 'highlights');
	}
	return { id, description };
}

export function requireSingle(product: Product, query: URLSearchParams): void {
	for (const [name, value] of query) {
		if (!LIST_PARAMETERS[product].includes(name))
			throw invalid(`Unknown parameter ${name}`, 'query');
		if (value === '' || query.getAll(name).length > 1)
			throw invalid(`${name} has one value`, 'query');
		if (name.startsWith('is') && value !== 'true') throw invalid(`${name} is true`, 'query');
	}
}

/** @returns the listing that an activation has to be of */
export function readListingFilter(
	query: URLSearchParams,
	find: (customerListingId: string) => number,
): number | undefined {
	const listingId = query.get('listingId');
	const customerListingId = query.get('customerListingId');
	if (listingId !== null && customerListingId !== null) {
		throw invalid('Not both of listingId and customerListingId', 'twoIds');
	}
	if (customerListingId !== null) return find(customerListingId);
	if (listingId === null) return undefined;
	if (!/^\d{1,15}$/.test(listingId)) throw invalid('listingId is a number', 'query');
	return Number(listingId);
}

/**
 * The premium product has times, the weekly one has days.
 *
 * @returns epoch milliseconds
 */
export function readDate(
	product: Product,
	query: URLSearchParams,
	name: string,
): number | undefined {
	const text = query.get(name);
	if (text === null) return undefined;
	const form = product === 'premium-listings' ? TIME : DAY;
	const time = form.test(text) ? Date.parse(text) : NaN;
	if (Number.isNaN(time)) throw invalid(`${name} is not a date as it is wanted here`, 'query');
	return time;
}
