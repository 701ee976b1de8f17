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

/** A listing, named by the portal's ID or by the ID in the agency's own software, never by both. */
export type Listing = { listingId: number } | { customerListingId: string };

export interface Highlight extends IDataObject {
	id: number;
	description?: string;
}

/**
 * An order of the product for one listing: the listing's ID, and the highlights and custom details (texts that the portal
 * shows with the product) to send with it.
 */
export interface OrderRequest {
	listing: Listing;
	highlights?: Highlight[];
	customDetails?: IDataObject;
}

/** Which activations to list: those that were created in a period and, if a listing is set, belong to it. */
export interface Wanted extends Period {
	listing?: Listing;
}

const PRODUCT_NAMES: Record<Product, string> = {
	'premium-listings': 'Premium listing',
	'weekly-featured-properties': 'Weekly featured property',
};

/** Reads, orders and changes the activations of one product. */
export class Products {
	constructor(
		readonly session: Session,
		readonly product: Product,
	) {}

	/**
	 * Makes a key that is the same for all orders of the product for one listing, even with different credentials. An
	 * agency's own ID is only unique within the agency, so a key with such an ID contains the client ID.
	 */
	orderKey(listing: Listing): string {
		const { address, clientId } = this.session;
		const owner = 'listingId' in listing ? '' : clientId;
		return JSON.stringify([address, this.product, owner, listing]);
	}

	/**
	 * Gets an activation by its ID.
	 *
	 * @throws ServiceError, of the kind `missing` if there is no such activation
	 */
	async activation(id: string, bounds?: Bounds): Promise<Activation> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		const read = await orFailure(this.session.get({ path }, bounds));
		if (read instanceof ServiceError) throw unknownActivation(read, id);
		return readActivation(read);
	}

	/**
	 * Lists the activations of a listing or a period, newest first. The service sends all of them in one answer. An
	 * activation without a creation time belongs to every period.
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

	/** Sends an order once. The class `Order` decides whether it may be sent. */
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

	/** Makes the name of an order in messages: “Premium listing for listing 123”. */
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

/**
 * The query parameters for a period. For premium listings, the service accepts its start and end as times; for weekly
 * featured properties, it accepts only the first day.
 */
const PERIODS: Record<Product, (period: Period) => IDataObject> = {
	'premium-listings': ({ from, to }) => ({
		...(from !== undefined && { date_from: isoSeconds(from) }),
		...(to !== undefined && { date_to: isoSeconds(to) }),
	}),
	'weekly-featured-properties': ({ from }) => ({
		...(from !== undefined && { date_from: earliestDay(from) }),
	}),
};

/** The offset of the time zone that is furthest behind UTC. */
const FURTHEST_BEHIND_MS = 12 * HOUR_MS;

/**
 * Returns the earliest calendar day that a moment may belong to. The API's contract does not say in which time zone the
 * service counts days.
 */
function earliestDay(time: number): string {
	return isoSeconds(time - FURTHEST_BEHIND_MS).slice(0, 10);
}

/** Makes the error for an activation whose order the service accepted but could not fulfil. */
export function activationFailure(products: Products, activation: Activation): ServiceError {
	const errors = mostSpecificFirst(errorsIn(activation.status));
	const problem = problemOf({ errors }, products.session.origin.secrets);
	const entry: Partial<RegisterEntry> = entryOf(problem.code, resultOf(activation)) ?? {};
	const id = activationId(activation);
	const naming = id === undefined ? '' : `, and name the activation ${id}`;
	return new ServiceError('failed', entry.problem ?? 'it failed', {
		...problem,
		cost: 'It is not known whether a credit was spent: the service accepted the order.',
		// The advice is to ask the operator of the service first, because another order may cost a second credit.
		remedy: `First ask the operator of the service${naming}. After that, ${lowerFirst(entry.remedy)}`,
		helpCode: entry.helpCode,
	});
}

/**
 * Replaces the message of an error if the service refused to list the activations of a listing and the cause is known:
 * the service does not know the listing, or does not give access to it.
 */
function unlisted(error: ServiceError, listing: Listing | undefined): ServiceError {
	const { code, status } = error.details;
	const isOwnId = listing !== undefined && 'customerListingId' in listing;
	const entry = entryOf(code, isOwnId ? `list of own ${status}` : undefined);
	if (!entry || error.isTransient) return error;
	return error.with(upperFirst(entry.problem), pick(entry, ['remedy', 'helpCode']));
}

/**
 * Replaces the message of a 404 for a single activation, which means that the service has no activation with this ID.
 */
export function unknownActivation(error: ServiceError, id: string): ServiceError {
	if (error.kind !== 'rejected' || error.details.status !== 404) return error;
	return new ServiceError('missing', 'The service found no such activation (404)', {
		...error.details,
		// The error of a 404 may contain the help code for a wrong address in the credential. The code is removed,
		// because this error is about a wrong activation ID.
		helpCode: undefined,
		remedy: `You asked for the ID ${id}. Check it, and that it belongs to this product.`,
	});
}

/**
 * Awaits work, and returns its value or the ServiceError that it throws. An error of n8n itself, such as an error of
 * its database, is also returned as a ServiceError: after a POST, it must not hide that the service may have accepted
 * the order. If the execution is cancelled, the error is thrown.
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
