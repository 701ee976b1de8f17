import sortBy from 'lodash/sortBy';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { isObject, problemOf } from './answer';
import { ServiceError } from './errors';
import { productsAddress, productsGrant } from './grant';
import { registerEntry } from './register';
import type { Bounds, Integration, Session, Written } from './request';

export const PRODUCTS_INTEGRATION: Integration = {
	credentialType: 'agentProductsApi',
	grant: productsGrant,
	baseUrl: productsAddress,
};

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

/** What the service tells of an activation; the rest is as it came. */
export interface Activation extends IDataObject {
	id: string;
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

	/** The same for whoever asks for the same product with the same pair. */
	get identity(): string {
		return JSON.stringify([this.session.fingerprint, this.product]);
	}

	/** @throws ServiceError, of the kind `missing` when there is no such activation */
	async activation(id: string, bounds?: Bounds): Promise<Activation> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		const [outcome] = await Promise.allSettled([
			this.session.get({ path, query: {}, subject: this.path }, bounds),
		]);
		if (outcome.status === 'fulfilled') return readActivation(outcome.value.body);
		const error: unknown = outcome.reason;
		throw error instanceof ServiceError ? unknownActivation(error) : error;
	}

	/**
	 * All activations that the query lets through, newest first; the service has no pages for them.
	 *
	 * @throws ServiceError
	 */
	async activations(query: IDataObject): Promise<Activation[]> {
		const { body } = await this.session.list({ path: this.path, query, subject: this.path });
		return sortBy(
			body.map(readActivation),
			(activation) => -latestCreation(activation) || Infinity,
		);
	}

	/** Sends an order once; see `OneActivation` for how it is done with care. */
	async order({ listing, highlights, customDetails }: Order): Promise<Written> {
		const body: IDataObject = {
			...listing,
			...(highlights && { highlights }),
			...(customDetails && { customDetails }),
		};
		return await this.session.write({ method: 'POST', path: this.path, body, subject: this.path });
	}

	/** Sends the new highlights of an activation once. */
	async update(id: string, highlights: Highlight[]): Promise<Written> {
		return await this.session.write({
			method: 'PATCH',
			path: `${this.path}/${encodeURIComponent(id)}`,
			body: { highlights },
			subject: this.path,
		});
	}

	/** “Premium listing of listing 123”. */
	nameOf(listing: Listing): string {
		const id =
			'listingId' in listing
				? `listing ${listing.listingId}`
				: `your listing ${listing.customerListingId}`;
		return `${PRODUCT_NAMES[this.product]} of ${id}`;
	}

	/** Whether an activation stands in the way of another one: unless it failed, or its term is over. */
	isCurrent(activation: Activation): boolean {
		if (hasFailed(activation)) return false;
		return resultOf(activation) !== 'ACTIVATED' || this.isActive(activation);
	}

	/** Whether an activation is active and its term is not over by the service's clock. */
	isActive(activation: Activation): boolean {
		const { expiryAt } = activation;
		const end = typeof expiryAt === 'string' ? Date.parse(expiryAt) : Number.NaN;
		const isOver = end <= this.session.timeAt(Date.now());
		return resultOf(activation) === 'ACTIVATED' && !isOver;
	}

	private get path(): string {
		return `/products/${this.product}`;
	}
}

export function isActivation(body: unknown): body is Activation {
	return isObject(body) && typeof body.id === 'string' && body.id !== '';
}

/** @throws ServiceError of kind `foreign` */
export function readActivation(body: unknown): Activation {
	if (isActivation(body)) return body;
	throw new ServiceError('foreign', 'The service answered without an activation', {
		api: 'products',
		step: 'data',
	});
}

/** What became of it, in the service's word; new words may come. */
export function resultOf({ status }: Activation): string {
	return isObject(status) && typeof status.result === 'string' ? status.result : '';
}

/** Whether it came to nothing, or is over. */
export function hasFailed(activation: Activation): boolean {
	return ['ERROR', 'DEACTIVATED'].includes(resultOf(activation));
}

/** Whether the service still has to carry it out; it does where it says nothing of a result. */
export function isPending(activation: Activation): boolean {
	return ['', 'PENDING'].includes(resultOf(activation));
}

/**
 * The latest moment at which it can have been made, in epoch milliseconds, since times come in whole
 * seconds or minutes; NaN where the service does not say. Without an offset a time is UTC.
 */
export function latestCreation({ createdAt }: Activation): number {
	if (typeof createdAt !== 'string') return Number.NaN;
	const hasSeconds = /T\d\d:\d\d:\d\d/.test(createdAt);
	const time = DateTime.fromISO(createdAt, { zone: 'utc' });
	return time.endOf(hasSeconds ? 'second' : 'minute').toMillis();
}

/** The errors of a body or of an activation's status: an array, or an object that holds one. */
export function errorsIn(holder: unknown): IDataObject[] {
	const errors: unknown = isObject(holder) ? holder.errors : undefined;
	if (isObject(errors)) return errorsIn(errors);
	return Array.isArray(errors) ? errors.filter(isObject) : [];
}

/** The service's codes, as text. */
export function codesOf(errors: IDataObject[]): string[] {
	return errors.flatMap(({ code }) =>
		typeof code === 'string' || typeof code === 'number' ? [String(code)] : [],
	);
}

/** Of several errors the one whose code tells an agency something, else the first. */
export function tellingOf(errors: IDataObject[]): IDataObject | undefined {
	return errors.find((error) => registerEntry(codesOf([error])[0])) ?? errors[0];
}

/** The error of an activation that the service took and could not fulfil. */
export function activationFailure(products: Products, activation: Activation): ServiceError {
	const errors = errorsIn(activation.status);
	const told = [tellingOf(errors), ...errors];
	const problem = problemOf({ errors: told }, products.session.origin.secrets);
	const isOver = resultOf(activation) === 'DEACTIVATED';
	const entry = registerEntry(problem.code) ?? (isOver ? DEACTIVATED : NOT_FULFILLED);
	return new ServiceError('failed', entry.problem, {
		api: 'products',
		step: 'data',
		...problem,
		remedy: entry.remedy,
		aside: `The ID of the activation is ${activation.id}.`,
	});
}

const DEACTIVATED = {
	problem: 'it was deactivated',
	remedy: 'Ask the operator of the service why, or run the workflow again to order it anew.',
};

const NOT_FULFILLED = {
	problem: 'the service could not fulfil the order',
	remedy: 'Correct what the service names, then run the workflow again.',
};

/** Names a 404 for what it is where an activation was asked for. */
export function unknownActivation(error: ServiceError): ServiceError {
	if (error.details.status !== 404) return error;
	return new ServiceError('missing', 'The service found no such activation (404)', error.details);
}
