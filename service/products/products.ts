import lowerFirst from 'lodash/lowerFirst';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { problemOf } from '../http/problem';
import { HOUR_MS, isoSeconds } from '../basics/times';
import { orFailure, ServiceError } from '../failure';
import type { Bounds, Session, WriteAnswer } from '../session';
import type { Activation, Period } from './activation';
import {
	activationId,
	errorsIn,
	isMadeIn,
	latestCreation,
	listingOf,
	readActivation,
	resultOf,
	mostSpecificFirst,
} from './activation';
import { DEACTIVATED, isUnmatched, NOT_FULFILLED, registerEntry } from './codes';
import { LABELS } from './labels';

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

/** The service's bound for the custom details, in bytes of JSON. */
export const LARGEST_CUSTOM_DETAILS = 640_000;

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
		return readActivation(read.body);
	}

	/**
	 * All activations that are asked for, newest first; the service has no pages for them. One that
	 * does not tell when it was made belongs to every period.
	 *
	 * @throws ServiceError
	 */
	async activations({ listing, ...period }: Wanted, bounds?: Bounds): Promise<Activation[]> {
		const query = { ...listing, ...PERIODS[this.product](period) };
		const { body } = await this.session.list({ path: this.path, query }, bounds);
		return sortBy(
			body.map(readActivation).filter((activation) => isMadeIn(activation, period)),
			(activation) => -latestCreation(activation) || Infinity,
		);
	}

	/** Sends an order once; see `Order` for how that is done with care. */
	async order({ listing, highlights, customDetails }: OrderRequest): Promise<WriteAnswer> {
		const body: IDataObject = {
			...listing,
			...(highlights && { highlights }),
			...(customDetails && { customDetails }),
		};
		return await this.session.write({ method: 'POST', path: this.path, body });
	}

	/** Sends the new highlights of an activation once. */
	async update(id: string, highlights: Highlight[]): Promise<WriteAnswer> {
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

/** Whether an activation can be of a listing: by its portal ID, if it names one. What listing an agency's own ID means is not known here. */
export function mayBeOfListing(activation: Activation, listing: Listing): boolean {
	const id = listingOf(activation);
	return id === undefined || !('listingId' in listing) || id === listing.listingId;
}

/** The error of an activation that the service took and could not fulfil. */
export function activationFailure(products: Products, activation: Activation): ServiceError {
	const errors = mostSpecificFirst(errorsIn(activation.status));
	const problem = problemOf({ errors }, products.session.origin.secrets);
	const isOver = resultOf(activation) === 'DEACTIVATED';
	const entry = registerEntry(problem.code) ?? (isOver ? DEACTIVATED : NOT_FULFILLED);
	const id = activationId(activation);
	const naming = id === undefined ? '' : `, and name the activation ${id}`;
	return new ServiceError('failed', entry.problem, {
		...problem,
		cost: 'It is not known whether a credit was spent: the service accepted the order.',
		// To order again may cost a second credit.
		remedy: `First ask the operator of the service${naming}. After that, ${lowerFirst(entry.remedy)}`,
		helpCode: entry.helpCode,
	});
}

/** Names a refusal for what it is if the activations of an agency's own ID were asked for. */
export function unknownListing(error: ServiceError): ServiceError {
	const { code, status } = error.details;
	if (error.kind !== 'rejected' || !isUnmatched(code, status)) return error;
	return error.with(`The service finds no listing with this ID from your software (${status})`, {
		helpCode: 'listingUnknown',
		remedy: `Check the filter “${LABELS.yourListingId}”: it is the ID that your own software gave the listing when it sent it to the portal. The portal listing ID belongs in the filter “${LABELS.portalListingId}”.`,
	});
}

/** Names a 404 for what it is if an activation was asked for. */
export function unknownActivation(error: ServiceError, id: string): ServiceError {
	if (error.details.notFound === undefined) return error;
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
