import { isRecord, jsonIn } from '../values';
import { json, REFUSALS, Refusal } from './http';
import type { ActivationRecord, Highlight, Product, Products } from './products';
import { listingOf } from './products';
import type { Requests } from './routes';
import { BASES } from './routes';
import type { Answer, DataCall } from './types';

/** The codes of the reasons for a refusal: of the premium product, and of the weekly one. */
const CODES = {
	twoIds: [1_011_065, 2_011_003],
	missing: [1_011_011, 2_011_011],
	unmatched: [1_011_061, 2_011_011],
	pending: [1_011_003, 2_011_004],
	active: [1_011_004, 2_011_005],
	inactive: [1_011_043, 0],
	inFlight: [1_011_044, 0],
	access: [1_011_901, 0],
};

/** The one ID of an agency's own that matches no listing. */
const UNKNOWN_LISTING = 'no-such-listing';

/** The requests for both products. */
export function productsRequests(products: Products): Requests {
	return {
		...requestsFor('premium-listings', products),
		...requestsFor('weekly-featured-properties', products),
		'PATCH /products/premium-listings/{uuid}': (call) => update(products, call),
	};
}

function requestsFor(product: Product, products: Products): Requests {
	return {
		[`GET /products/${product}`]: (call) => list(products, product, call),
		[`POST /products/${product}`]: (call) => activate(products, product, call),
		[`GET /products/${product}/{uuid}`]: ({ id }) => {
			const record = recordOf(products, product, id);
			products.look(record);
			return json(200, record.shown);
		},
	};
}

function errorsOf(product: Product, status: number, reason: string, name: keyof typeof CODES) {
	return REFUSALS.products(status, reason, CODES[name][product === 'premium-listings' ? 0 : 1]);
}

function refusal(...refused: Parameters<typeof errorsOf>): Refusal {
	return new Refusal(errorsOf(...refused));
}

function list(products: Products, product: Product, { query }: DataCall): Answer {
	const own = query.get('customerListingId');
	const id = query.get('listingId');
	if (id !== null && own !== null) throw refusal(product, 400, 'one ID at most', 'twoIds');
	const wanted = own === null ? (id ?? '') : String(listingFor(product, own));
	const from = Date.parse(query.get('date_from') ?? '1970-01-01');
	const to = Date.parse(query.get('date_to') ?? '2999-01-01');
	const isActiveOnly = query.has('isPremium') || query.has('isWFP');
	const all = products.list(product).map(({ shown }) => shown);
	const found = all.filter(({ createdAt, listingId, status }) => {
		const created = Date.parse(createdAt);
		const isActive = !isActiveOnly || status.result === 'ACTIVATED';
		return ['', String(listingId)].includes(wanted) && isActive && created >= from && created <= to;
	});
	return json(200, found);
}

function activate(products: Products, product: Product, call: DataCall): Answer {
	const { listingId, customerListingId, ...rest } = bodyOf(call);
	const listing =
		typeof customerListingId === 'string'
			? listingFor(product, customerListingId)
			: Number(listingId);
	const current = products.current(product, listing);
	if (current !== undefined && products.behaviour.duplicates !== 'accept') {
		return duplicate(products, current, call);
	}
	const made = products.activate(product, { listingId: listing, ...rest }, call.client.clientId);
	return json(202, made, { Location: location(products, product, made.id, call) });
}

/** A 303 holds the activation if the product is premium, and errors if it is weekly. */
function duplicate(
	products: Products,
	{ product, shown }: ActivationRecord,
	call: DataCall,
): Answer {
	const state = shown.status.result === 'PENDING' ? 'pending' : 'active';
	const refused = errorsOf(product, 400, `The listing has a ${state} activation`, state);
	if (products.behaviour.duplicates === 'refuse') return refused;
	const body = product === 'premium-listings' ? JSON.stringify(shown) : refused.body;
	const Location = location(products, product, shown.id, call);
	return { status: 303, headers: { ...refused.headers, Location }, body };
}

function location(products: Products, product: Product, id: string, { headers }: DataCall): string {
	const folder = products.behaviour.location === 'full' ? '/products' : '';
	return `http://${headers.host}${BASES.products}${folder}/${product}/${id}`;
}

function update(products: Products, call: DataCall): Answer {
	const product = 'premium-listings';
	const record = recordOf(products, product, call.id);
	if (record.shown.createdBy !== call.client.clientId) {
		throw refusal(product, 403, 'The activation is not of this client', 'access');
	}
	const { result, currently } = record.shown.status;
	if (result !== 'ACTIVATED') {
		throw refusal(product, 409, 'The activation is not active', 'inactive');
	}
	if (currently === 'WAITING_FOR_UPDATE') {
		throw refusal(product, 409, 'An update is in flight', 'inFlight');
	}
	products.update(record, bodyOf(call).highlights);
	return json(202, record.shown);
}

function recordOf(products: Products, product: Product, id: string): ActivationRecord {
	const record = products.find(product, id);
	if (record === undefined) throw refusal(product, 404, 'No such activation', 'missing');
	return record;
}

/** @returns the listing that goes by the agency's own ID */
function listingFor(product: Product, own: string): number {
	if (own !== UNKNOWN_LISTING) return listingOf(own);
	throw refusal(product, 400, 'No listing goes by this customerListingId', 'unmatched');
}

/** The contract has been held against the body already. */
function bodyOf({ body }: DataCall) {
	const value = jsonIn(body);
	const { listingId, customerListingId, customDetails, highlights } = isRecord(value) ? value : {};
	const isHighlight = (each: unknown): each is Highlight =>
		isRecord(each) && typeof each.id === 'number';
	return {
		...{ listingId, customerListingId },
		...(isRecord(customDetails) && { customDetails }),
		highlights: Array.isArray(highlights) ? highlights.filter(isHighlight) : [],
	};
}
