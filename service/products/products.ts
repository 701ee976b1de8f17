import lowerFirst from 'lodash/lowerFirst';
import pick from 'lodash/pick';
import sortBy from 'lodash/sortBy';
import upperFirst from 'lodash/upperFirst';
import type { IDataObject } from 'n8n-workflow';

import { problemOf } from '../http/problem';
import { HOUR_MS, isoSeconds } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import type { HttpAnswer } from '../http/answer';
import type { Bounds, Session } from '../session';
import type { Activation, Period } from './activation';
import {
	activationId,
	errorsIn,
	isMadeIn,
	latestCreation,
	readActivation,
	resultOf,
	mostSpecificFirst,
} from './activation';
import type { RegisterEntry } from './codes';
import { entryOf } from './codes';

/** The products, by their names in the service's paths. */
export type Product = 'premium-listings' | 'weekly-featured-properties';

/** A listing, by the portal's ID or by the ID of the agency's software; never by both. */
export type Listing = { listingId: number } | { customerListingId: string };

export interface Highlight extends IDataObject {
	id: number;
	description?: string;
}

/** An order: a listing, and what the activation is to have. */
export interface OrderRequest {
	listing: Listing;
	highlights?: Highlight[];
	customDetails?: IDataObject;
}

/** The activations to list: those of a listing, created in a period. */
export interface Wanted extends Period {
	listing?: Listing;
}

const PRODUCT_NAMES: Record<Product, string> = {
	'premium-listings': 'Premium listing',
	'weekly-featured-properties': 'Weekly featured property',
};

/** The activations of one product. */
export class Products {
	constructor(
		readonly session: Session,
		readonly product: Product,
	) {}

	/**
	 * Identifies all orders of the product for a listing, with any credential. Two agencies may give the same ID of
	 * their own to different listings, so such a key contains the client ID.
	 */
	orderKey(listing: Listing): string {
		const { address, clientId } = this.session;
		const owner = 'listingId' in listing ? '' : clientId;
		return JSON.stringify([address, this.product, owner, listing]);
	}

	/** @throws ServiceError, of the kind `missing` when there is no such activation */
	async activation(id: string, bounds?: Bounds): Promise<Activation> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		const read = await orFailure(this.session.get({ path, query: {} }, bounds));
		if (read instanceof ServiceError) throw unknownActivation(read, id);
		return readActivation(read);
	}

	/**
	 * Lists the activations of a listing or period, newest first; the service sends them without pages. An activation
	 * without a creation time belongs to every period.
	 *
	 * @throws ServiceError
	 */
	async activations({ listing, ...period }: Wanted, bounds?: Bounds): Promise<Activation[]> {
		const query = { ...listing, ...PERIODS[this.product](period) };
		const listed = await orFailure(this.session.list({ path: this.path, query }, bounds));
		if (listed instanceof ServiceError) throw unlisted(listed, listing);
		return sortBy(
			listed.map(readActivation).filter((activation) => isMadeIn(activation, period)),
			(activation) => -latestCreation(activation) || Infinity,
		);
	}

	/** Sends an order once. `Order` decides whether to send it. */
	async order({ listing, highlights, customDetails }: OrderRequest): Promise<HttpAnswer> {
		const body: IDataObject = {
			...listing,
			...(highlights && { highlights }),
			...(customDetails && { customDetails }),
		};
		return await this.session.write({ method: 'POST', path: this.path, body });
	}

	/** Sends the new highlights of an activation once. */
	async update(id: string, highlights: Highlight[]): Promise<HttpAnswer> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		return await this.session.write({ method: 'PATCH', path, body: { highlights } });
	}

	/** “Premium listing for listing 123”. */
	nameOf(listing: Listing): string {
		const id =
			'listingId' in listing
				? `listing ${listing.listingId}`
				: `your listing ${listing.customerListingId}`;
		return `${PRODUCT_NAMES[this.product]} for ${id}`;
	}

	private get path(): string {
		return `/products/${this.product}`;
	}
}

/** The query for a period, by product: the service filters one product by times, the other by its first day alone. */
const PERIODS: Record<Product, (period: Period) => IDataObject> = {
	'premium-listings': ({ from, to }) => ({
		...(from !== undefined && { date_from: isoSeconds(from) }),
		...(to !== undefined && { date_to: isoSeconds(to) }),
	}),
	'weekly-featured-properties': ({ from }) => ({
		...(from !== undefined && { date_from: earliestDay(from) }),
	}),
};

/** The furthest time zone behind UTC. */
const FURTHEST_BEHIND_MS = 12 * HOUR_MS;

/** The earliest day that a time may fall on. The contract does not name the time zone of the service's days. */
function earliestDay(time: number): string {
	return isoSeconds(time - FURTHEST_BEHIND_MS).slice(0, 10);
}

/** The failure of an activation that the service accepted and could not fulfil. */
export function activationFailure(products: Products, activation: Activation): ServiceError {
	const errors = mostSpecificFirst(errorsIn(activation.status));
	const problem = problemOf({ errors }, products.session.origin.secrets);
	const entry: Partial<RegisterEntry> = entryOf(problem.code, resultOf(activation)) ?? {};
	const id = activationId(activation);
	const naming = id === undefined ? '' : `, and name the activation ${id}`;
	return new ServiceError('failed', entry.problem ?? 'it failed', {
		...problem,
		cost: 'It is not known whether a credit was spent: the service accepted the order.',
		// Another order may cost a second credit, so the operator comes first.
		remedy: `First ask the operator of the service${naming}. After that, ${lowerFirst(entry.remedy)}`,
		helpCode: entry.helpCode,
	});
}

/** Rewords the refusal of a list: the service does not know the listing, or gives no access to it. */
function unlisted(error: ServiceError, listing: Listing | undefined): ServiceError {
	const { code, status } = error.details;
	const isOwnId = listing !== undefined && 'customerListingId' in listing;
	const entry = entryOf(code, isOwnId ? `list of own ${status}` : undefined);
	if (!entry || error.isTransient) return error;
	return error.with(upperFirst(entry.problem), pick(entry, ['remedy', 'helpCode']));
}

/** Rewords a 404 of a request for an activation: there is no such activation. */
export function unknownActivation(error: ServiceError, id: string): ServiceError {
	if (error.kind !== 'rejected' || error.details.status !== 404) return error;
	return new ServiceError('missing', 'The service found no such activation (404)', {
		...error.details,
		// Drops the code of a wrong address, which a 404 may have.
		helpCode: undefined,
		remedy: `You asked for the ID ${id}. Check it, and that it belongs to this product.`,
	});
}

/**
 * Awaits work like `orFailure`. An error of n8n itself, such as one of its database or of its egress rules, counts as
 * a failure of the service, unless the execution is cancelled: after a POST, such an error must not hide that the
 * service may have accepted the order.
 */
export async function orUnavailable<T>(
	work: Promise<T>,
	session: Session,
): Promise<T | ServiceError> {
	return await orFailure(work).catch((error: unknown) => {
		if (session.isCancelled || !(error instanceof Error)) throw error;
		return new ServiceError('unavailable', error.message);
	});
}
