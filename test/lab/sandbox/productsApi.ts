import { Refusal, json } from './http';
import type { ActivationRecord, Product, Products } from './products';
import { listingOf } from './products';
import {
	readActivation,
	readBody,
	readDate,
	readListingFilter,
	readUpdate,
	requireSingle,
} from './productsInput';
import { ProductsRefusal, errorsOf, invalid } from './productsRefusal';
import type { Answer, Call, Client } from './types';

const PATH = /^\/products\/(premium-listings|weekly-featured-properties)(?:\/([^/]+))?$/;

/** The requests for both products. */
export class ProductsApi {
	/** @param base how the path of a Location starts */
	constructor(
		private readonly products: Products,
		private readonly base: string,
	) {}

	/** @param path below the base address */
	template(path: string): string | undefined {
		const asked = readPath(path);
		return asked && `/products/${asked.product}${asked.id === undefined ? '' : '/{uuid}'}`;
	}

	/** @param path below the base address */
	handle(path: string, call: Call, client: Client): Answer {
		const asked = readPath(path);
		if (asked === undefined) throw new Error(`${path} is not of this API`);
		const { product, id } = asked;
		try {
			return this.answer(product, id, call, client);
		} catch (error) {
			throw error instanceof ProductsRefusal ? new Refusal(error.answer(product)) : error;
		}
	}

	private answer(product: Product, id: string | undefined, call: Call, client: Client): Answer {
		if (id === undefined && call.method === 'GET') return this.list(product, call.query);
		if (call.search !== '') throw invalid('no parameters here');
		if (id === undefined && call.method === 'POST') return this.activate(product, call, client);
		if (id !== undefined && call.method === 'GET') return this.get(product, id);
		if (id !== undefined && call.method === 'PATCH' && product === 'premium-listings') {
			return this.update(product, id, call, client);
		}
		throw new ProductsRefusal(405, 'The method is not allowed here');
	}

	private activate(product: Product, call: Call, client: Client): Answer {
		const request = readActivation(product, readBody(call), this.finder());
		if (this.products.behaviour.refusedListings.includes(request.listingId)) {
			throw new ProductsRefusal(400, 'The listing is not allowed', 'barred');
		}
		const current = this.products.current(product, request.listingId);
		const isRefused = this.products.behaviour.duplicates !== 'accept';
		if (current !== undefined && isRefused) return this.duplicate(current, call);
		const made = this.products.activate(product, request, client.clientId);
		return json(202, made, { Location: this.location(product, made.id, call) });
	}

	/** A 303 holds the activation if the product is premium, and errors if it is weekly. */
	private duplicate({ product, shown }: ActivationRecord, call: Call): Answer {
		const pending = shown.status.result === 'PENDING';
		const reason = `The listing has a ${pending ? 'pending' : 'current'} activation`;
		const refused = new ProductsRefusal(400, reason, pending ? 'pending' : 'active');
		if (this.products.behaviour.duplicates === 'refuse') throw refused;
		const body = product === 'premium-listings' ? shown : errorsOf(refused, product);
		return json(303, body, { Location: this.location(product, shown.id, call) });
	}

	private location(product: Product, id: string, call: Call): string {
		const products = this.products.behaviour.location === 'full' ? '/products' : '';
		return `http://${call.headers.host}${this.base}${products}/${product}/${id}`;
	}

	/** @returns a function from the customer's own ID to the listing */
	private finder(): (customerListingId: string) => number {
		const { unknownListings } = this.products.behaviour;
		return (customerListingId) => {
			if (!unknownListings.includes(customerListingId)) return listingOf(customerListingId);
			throw new ProductsRefusal(400, 'No listing goes by this customerListingId', 'unmatched');
		};
	}

	private get(product: Product, id: string): Answer {
		const record = this.record(product, id);
		this.products.look(record);
		return json(200, record.shown);
	}

	private update(product: Product, id: string, call: Call, client: Client): Answer {
		const record = this.record(product, id);
		if (record.shown.createdBy !== client.clientId) {
			throw new ProductsRefusal(403, 'The activation is not of this client', 'access');
		}
		const highlights = readUpdate(readBody(call));
		const { result, currently } = record.shown.status;
		if (result !== 'ACTIVATED') {
			throw new ProductsRefusal(409, 'The activation is not active', 'inactive');
		}
		if (currently === 'WAITING_FOR_UPDATE') {
			throw new ProductsRefusal(409, 'An update is in flight', 'inFlight');
		}
		this.products.update(record, highlights);
		const isArray = this.products.behaviour.updateAnswer === 'array';
		return json(202, isArray ? [record.shown] : record.shown);
	}

	private record(product: Product, id: string): ActivationRecord {
		const record = this.products.find(product, id);
		if (record === undefined) throw new ProductsRefusal(404, 'No such activation', 'missing');
		return record;
	}

	private list(product: Product, query: URLSearchParams): Answer {
		requireSingle(product, query);
		const listing = readListingFilter(query, this.finder());
		const from = readDate(product, query, 'date_from') ?? -Infinity;
		const to = readDate(product, query, 'date_to') ?? Infinity;
		const activeOnly = query.has('isPremium') || query.has('isWFP');
		const found = this.products.list(product).filter(({ shown }) => {
			const created = Date.parse(shown.createdAt);
			const asked = listing === undefined || listing === shown.listingId;
			const active = !activeOnly || shown.status.result === 'ACTIVATED';
			return asked && active && created >= from && created <= to;
		});
		return json(
			200,
			found.map((record) => record.shown),
		);
	}
}

/** @returns the id of an activation, if the path is of one */
function readPath(path: string): { product: Product; id?: string } | undefined {
	const [, product, id] = PATH.exec(path) ?? [];
	if (product !== 'premium-listings' && product !== 'weekly-featured-properties') return undefined;
	return { product, id };
}
