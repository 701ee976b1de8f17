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

/** As the service's paths name them. */
export type Product = 'premium-listings' | 'weekly-featured-properties';

/** A listing by the service's own id, or by the one that the agency's software gave it; never both. */
export type Listing = { listingId: number } | { customerListingId: string };

export interface Highlight extends IDataObject {
	id: number;
	description?: string;
}

/** What a POST asks for. */
export interface OrderRequest {
	listing: Listing;
	highlights?: Highlight[];
	customDetails?: IDataObject;
}

/** Which activations are asked for: of a listing, made in a period. */
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
	 * The same for every order of the product for the listing, whatever the credential. Two agencies may give the same ID of
	 * their own to different listings, so there the client ID belongs to it.
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
	 * All activations that are asked for, newest first; the service has no pages for them. One that
	 * does not tell when it was made belongs to every period.
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

	/** Sends an order once; see `Order` for how that is done with care. */
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

/** How each product is asked for a period: one has times, the other knows the first day only. */
const PERIODS: Record<Product, (period: Period) => IDataObject> = {
	'premium-listings': ({ from, to }) => ({
		...(from !== undefined && { date_from: isoSeconds(from) }),
		...(to !== undefined && { date_to: isoSeconds(to) }),
	}),
	'weekly-featured-properties': ({ from }) => ({
		...(from !== undefined && { date_from: earliestDay(from) }),
	}),
};

/** The furthest that a place on earth is behind UTC. */
const FURTHEST_BEHIND_MS = 12 * HOUR_MS;

/** Nobody says in which time zone the service's days are: the one that begins last there. */
function earliestDay(time: number): string {
	return isoSeconds(time - FURTHEST_BEHIND_MS).slice(0, 10);
}

/** The error of an activation that the service took and could not fulfil. */
export function activationFailure(products: Products, activation: Activation): ServiceError {
	const errors = mostSpecificFirst(errorsIn(activation.status));
	const problem = problemOf({ errors }, products.session.origin.secrets);
	const entry: Partial<RegisterEntry> = entryOf(problem.code, resultOf(activation)) ?? {};
	const id = activationId(activation);
	const naming = id === undefined ? '' : `, and name the activation ${id}`;
	return new ServiceError('failed', entry.problem ?? 'it failed', {
		...problem,
		cost: 'It is not known whether a credit was spent: the service accepted the order.',
		// To order again may cost a second credit.
		remedy: `First ask the operator of the service${naming}. After that, ${lowerFirst(entry.remedy)}`,
		helpCode: entry.helpCode,
	});
}

/** Names the refusal of a list for what it is: a listing that the service does not know, or gives no access to. */
function unlisted(error: ServiceError, listing: Listing | undefined): ServiceError {
	const { code, status } = error.details;
	const isOwnId = listing !== undefined && 'customerListingId' in listing;
	const entry = entryOf(code, isOwnId ? `list of own ${status}` : undefined);
	if (!entry || error.isTransient) return error;
	return error.with(upperFirst(entry.problem), pick(entry, ['remedy', 'helpCode']));
}

/** Names a 404 for what it is if an activation was asked for. */
export function unknownActivation(error: ServiceError, id: string): ServiceError {
	if (error.kind !== 'rejected' || error.details.status !== 404) return error;
	return new ServiceError('missing', 'The service found no such activation (404)', {
		...error.details,
		// A 404 may have had that of a wrong address.
		helpCode: undefined,
		remedy: `You asked for the ID ${id}. Check it, and that it belongs to this product.`,
	});
}

/**
 * As `orFailure`. An error of n8n itself, such as one of its database or of its egress rules, counts as a failure of the
 * service, unless the execution is cancelled: after a POST it must not hide that the order may be taken.
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
