import { productsError } from './errors';
import type { Product } from './products';

/** Why a request is refused. The contract has a code for each reason; the weekly product has fewer codes. */
type Reason =
	| 'unreadable'
	| 'shape'
	| 'twoIds'
	| 'query'
	| 'details'
	| 'highlights'
	| 'missing'
	| 'unmatched'
	| 'pending'
	| 'active'
	| 'inactive'
	| 'inFlight'
	| 'access'
	/** Premium: this client may not use the listing. Weekly: its category does not allow it. */
	| 'barred';

const CODES: Record<Product, Partial<Record<Reason, number>>> = {
	'premium-listings': {
		unreadable: 1_011_001,
		shape: 1_011_904,
		twoIds: 1_011_065,
		query: 1_011_017,
		details: 1_011_009,
		highlights: 1_011_905,
		missing: 1_011_011,
		unmatched: 1_011_061,
		pending: 1_011_003,
		active: 1_011_004,
		inactive: 1_011_043,
		inFlight: 1_011_044,
		access: 1_011_901,
		barred: 1_011_901,
	},
	'weekly-featured-properties': {
		unreadable: 2_011_001,
		shape: 2_011_003,
		twoIds: 2_011_003,
		query: 2_011_003,
		details: 2_011_010,
		missing: 2_011_011,
		unmatched: 2_011_011,
		pending: 2_011_004,
		active: 2_011_005,
		barred: 2_011_009,
	},
};

/** A refusal whose code depends on the product. */
export class ProductsRefusal extends Error {
	constructor(
		private readonly status: number,
		message: string,
		readonly reason?: Reason,
	) {
		super(message);
	}

	answer(product: Product) {
		const code = this.reason && CODES[product][this.reason];
		return productsError(this.status, this.message, code);
	}
}

export function invalid(message: string, reason: Reason = 'shape'): ProductsRefusal {
	return new ProductsRefusal(400, message, reason);
}

export function errorsOf(refused: ProductsRefusal, product: Product) {
	return { errors: [{ reason: refused.message, code: CODES[product][refused.reason ?? 'shape'] }] };
}
