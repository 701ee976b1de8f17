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
	readActivation,
	resultOf,
	tellingFirst,
} from './activation';
import { DEACTIVATED, isAboutRequest, isUnmatched, NOT_FULFILLED, registerEntry } from './codes';

/** As the service's paths name them. */
export type Product = 'premium-listings' | 'weekly-featured-properties';

/** A listing by the service's own id, or by the one that the agency's software gave it; never both. */
export type Listing = { listingId: number } | { customerListingId: string };

export interface Highlight extends IDataObject {
	id: number;
	description?: string;
}

/** What a POST asks for. */
export interface Order {
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
	/** The same for whoever asks for the same product at the same address: an agency may have several credentials, and client IDs. */
	readonly shop: string;

	constructor(
		readonly session: Session,
		readonly product: Product,
	) {
		this.shop = JSON.stringify([session.address, product]);
	}

	/** The same for whoever asks for the same product with the same pair. */
	get identity(): string {
		return JSON.stringify([this.session.fingerprint, this.product]);
	}

	/** The same for whoever orders the product for the listing. */
	lineFor(listing: Listing): string {
		return JSON.stringify([this.shop, listing]);
	}

	/** The same for one order, whatever becomes of its credential: agencies may have given different listings the same ID of their own. */
	orderOf(listing: Listing): string {
		return 'listingId' in listing
			? this.lineFor(listing)
			: JSON.stringify([this.shop, this.session.clientId, listing]);
	}

	/** @throws ServiceError, of the kind `missing` when there is no such activation */
	async activation(id: string, bounds?: Bounds): Promise<Activation> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		const read = await orFailure(this.session.get({ path, query: {}, subject: this.path }, bounds));
		if (read instanceof ServiceError) throw unknownActivation(read, id);
		return readActivation(read.body);
	}

	/**
	 * All activations that are asked for, newest first; the service has no pages for them. One that
	 * does not tell when it was made belongs to every period.
	 *
	 * @throws ServiceError
	 */
	async activations(
		{ listing, ...period }: Wanted,
		{ subject = this.path, ...bounds }: Bounds & { subject?: string } = {},
	): Promise<Activation[]> {
		const query = { ...listing, ...PERIODS[this.product](period) };
		const { body } = await this.session.list({ path: this.path, query, subject }, bounds);
		return sortBy(
			body.map(readActivation).filter((activation) => isMadeIn(activation, period)),
			(activation) => -latestCreation(activation) || Infinity,
		);
	}

	/**
	 * Whether the service keeps to a listing that it is asked for, by such an ID: asked for one that
	 * nobody has, it has nothing to show, or says no.
	 *
	 * @throws ServiceError when that cannot be known
	 */
	async keepsTo(listing: Listing): Promise<boolean> {
		const nobodys = 'listingId' in listing ? NOBODYS_LISTING : NOBODYS_OWN_LISTING;
		const subject = `nobody’s ${this.path}`;
		const shown = await orFailure(this.activations({ listing: nobodys }, { subject }));
		if (!(shown instanceof ServiceError)) return shown.length === 0;
		if (isRequestRefused(shown)) return true;
		throw shown;
	}

	/** Sends an order once; see `CarefulOrder` for how it is done with care. */
	async order(
		{ listing, highlights, customDetails }: Order,
		bounds?: Pick<Bounds, 'departs' | 'place'>,
	): Promise<WriteAnswer> {
		const body: IDataObject = {
			...listing,
			...(highlights && { highlights }),
			...(customDetails && { customDetails }),
		};
		const subject = `order ${this.path} ${JSON.stringify(listing)}`;
		return await this.session.write({ method: 'POST', path: this.path, body, subject }, bounds);
	}

	/** Sends the new highlights of an activation once. */
	async update(id: string, highlights: Highlight[]): Promise<WriteAnswer> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		return await this.session.write({
			method: 'PATCH',
			path,
			body: { highlights },
			subject: `change ${path}`,
		});
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

/** An ID that no listing has. Not 0, which may mean that no listing is named. */
const NOBODYS_LISTING: Listing = { listingId: 2 ** 31 - 1 };

const NOBODYS_OWN_LISTING: Listing = {
	customerListingId: 'none-00000000-0000-4000-8000-000000000000',
};

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
	const errors = tellingFirst(errorsIn(activation.status));
	const problem = problemOf({ errors }, products.session.origin.secrets);
	const isOver = resultOf(activation) === 'DEACTIVATED';
	const entry = registerEntry(problem.code) ?? (isOver ? DEACTIVATED : NOT_FULFILLED);
	return new ServiceError('failed', entry.problem, {
		...problem,
		cost: 'It is not known whether a credit was spent: the service accepted the order.',
		// To order again may cost a second credit.
		remedy: `First ask the operator of the service${nameOf(activation)}. After that, ${lowerFirst(entry.remedy)}`,
		helpCode: entry.helpCode,
	});
}

function nameOf(activation: Activation): string {
	const id = activationId(activation);
	return id === undefined ? '' : `, and name the activation ${id}`;
}

/** Names a refusal for what it is if the activations of an agency's own ID were asked for. */
export function unknownListing(error: ServiceError): ServiceError {
	if (!isNoListing(error)) return error;
	return error.with(
		`The service finds no listing with this ID from your software (${error.details.status})`,
		{
			helpCode: 'listingUnknown',
			remedy:
				'Check the filter “Your Listing ID”: it is the ID that your own software gave the listing when it sent it to the portal. The portal listing ID belongs in the filter “Portal Listing ID”.',
		},
	);
}

function isNoListing({ kind, details: { code, status } }: ServiceError): boolean {
	return kind === 'rejected' && isUnmatched(code, status);
}

/** Whether the service has said no to what it was asked for, in its documented way or by its codes. */
function isRequestRefused({ kind, details: { code, status } }: ServiceError): boolean {
	return ['rejected', 'forbidden'].includes(kind) && isAboutRequest(code, status);
}

/** Names a 404 for what it is if an activation was asked for. */
export function unknownActivation(error: ServiceError, id: string): ServiceError {
	if (error.details.status !== 404) return error;
	return new ServiceError('missing', 'The service found no such activation (404)', {
		...error.details,
		// A 404 may have had that of a wrong address.
		helpCode: undefined,
		remedy: `You asked for the ID ${id}. Check it, and that it belongs to this product.`,
	});
}
