import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { problemOf } from '../http/problem';
import { isObject } from '../basics/values';
import { isoSeconds } from '../basics/times';
import { ServiceError } from '../failure';
import { isAboutRequest, isUnmatched, registerEntry, tellingness } from './codes';
import type { Bounds, Session, Written } from '../session';
import { latestServiceTime, serviceTime } from '../basics/times';

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

/** What the service tells of an activation, as it came: nothing of it is sure to be there. */
export type Activation = IDataObject;

/** Which activations are asked for. */
export interface Wanted {
	listing?: Listing;
	/** When they were made, both ends included, in epoch milliseconds. */
	from?: number;
	to?: number;
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
	 * All activations that are asked for, newest first; the service has no pages for them. One that
	 * does not tell when it was made belongs to every period.
	 *
	 * @throws ServiceError
	 */
	async activations(
		{ listing, ...period }: Wanted,
		subject: string = this.path,
	): Promise<Activation[]> {
		const query = { ...listing, ...PERIODS[this.product](period) };
		const { body } = await this.session.list({ path: this.path, query, subject });
		return sortBy(
			body.map(readActivation).filter((activation) => isWithin(activation, period)),
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
		const [outcome] = await Promise.allSettled([
			this.activations({ listing: nobodys }, `nobody’s ${this.path}`),
		]);
		if (outcome.status === 'fulfilled') return outcome.value.length === 0;
		const error: unknown = outcome.reason;
		if (error instanceof ServiceError && isRefusal(error)) return true;
		throw error;
	}

	/** Sends an order once; see `OneActivation` for how it is done with care. */
	async order({ listing, highlights, customDetails }: Order): Promise<Written> {
		const body: IDataObject = {
			...listing,
			...(highlights && { highlights }),
			...(customDetails && { customDetails }),
		};
		return await this.session.write({
			method: 'POST',
			path: this.path,
			body,
			subject: `order ${this.path} ${JSON.stringify(listing)}`,
		});
	}

	/** Sends the new highlights of an activation once. */
	async update(id: string, highlights: Highlight[]): Promise<Written> {
		const path = `${this.path}/${encodeURIComponent(id)}`;
		return await this.session.write({
			method: 'PATCH',
			path,
			body: { highlights },
			subject: `change ${path}`,
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

	/**
	 * Whether an activation stands in the way of another one: unless it failed, or its term is over. One
	 * that was planned is over by the service's own clock only: nobody else would refuse another one.
	 */
	isCurrent(activation: Activation): boolean {
		const result = resultOf(activation);
		if (hasFailed(activation)) return false;
		if (result === 'SCHEDULED' && !this.session.knowsTime) return true;
		return result === 'PENDING' || !this.isOver(activation);
	}

	/** Whether an activation is active and its term is not over. */
	isActive(activation: Activation): boolean {
		return resultOf(activation) === 'ACTIVATED' && !this.isOver(activation);
	}

	/** Whether its term is over by the service's clock. */
	private isOver({ expiryAt }: Activation): boolean {
		const end = readMoment(expiryAt);
		return end !== undefined && end.to <= this.session.timeAt(Date.now());
	}

	private get path(): string {
		return `/products/${this.product}`;
	}
}

/** The largest that any service takes for a number: 0 may count as none at all. */
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

type Period = Pick<Wanted, 'from' | 'to'>;

/** The furthest that a place on earth is behind UTC. */
const FURTHEST_BEHIND_MS = 12 * 3_600_000;

/** Nobody says in which time zone the service's days are: the one that begins last there. */
function earliestDay(time: number): string {
	return isoSeconds(time - FURTHEST_BEHIND_MS).slice(0, 10);
}

function isWithin({ createdAt }: Activation, { from = -Infinity, to = Infinity }: Period): boolean {
	const created = readMoment(createdAt);
	return created === undefined || (created.to >= from && created.from <= to);
}

export function isActivation(body: unknown): body is Activation {
	return isObject(body) && (idOf(body) !== undefined || listingOf(body) !== undefined);
}

/** Its ID, by which it can be asked for. */
export function idOf({ id }: Activation): string | undefined {
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** The service's ID of its listing, be it a number or text. */
export function listingOf({ listingId }: Activation): number | undefined {
	if (typeof listingId === 'number') return listingId;
	return typeof listingId === 'string' && /^\s*\d+\s*$/.test(listingId)
		? Number(listingId)
		: undefined;
}

/** @throws ServiceError of kind `foreign` */
export function readActivation(body: unknown): Activation {
	if (isActivation(body)) return body;
	throw new ServiceError('foreign', 'The service answered without an activation');
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
 * The latest moment at which it can have been made, in epoch milliseconds; NaN where the service does
 * not say.
 */
export function latestCreation({ createdAt }: Activation): number {
	return readMoment(createdAt)?.to ?? Number.NaN;
}

/** What a time of the service may mean, from the earliest to the latest, in epoch milliseconds. */
interface Moment {
	from: number;
	to: number;
}

/** Undefined also for a time of another age: 0001-01-01 and 1970-01-01 stand for what is not set. */
function readMoment(value: unknown): Moment | undefined {
	const from = serviceTime(value) ?? 0;
	const to = latestServiceTime(value) ?? 0;
	return from > EARLIEST_MS ? { from, to } : undefined;
}

const EARLIEST_MS = Date.UTC(1971, 0);

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

/** The errors whose codes tell an agency most come first. */
export function tellingFirst(errors: IDataObject[]): IDataObject[] {
	return sortBy(errors, (error) => -tellingness(codesOf([error])[0]));
}

/** The error of an activation that the service took and could not fulfil. */
export function activationFailure(products: Products, activation: Activation): ServiceError {
	const errors = tellingFirst(errorsIn(activation.status));
	const problem = problemOf({ errors }, products.session.origin.secrets);
	const isOver = resultOf(activation) === 'DEACTIVATED';
	const entry = registerEntry(problem.code) ?? (isOver ? DEACTIVATED : NOT_FULFILLED);
	return new ServiceError('failed', entry.problem, {
		...problem,
		remedy: entry.remedy,
		...asideOf(activation),
	});
}

function asideOf(activation: Activation): { aside?: string } {
	const id = idOf(activation);
	return id === undefined ? {} : { aside: `The ID of the activation is ${id}.` };
}

const DEACTIVATED = {
	problem: 'it was deactivated',
	remedy: 'Ask the operator of the service why, or run the workflow again to order it anew.',
};

const NOT_FULFILLED = {
	problem: 'the service could not fulfil the order',
	remedy: 'Correct what the service names, then run the workflow again.',
};

/** Names a refusal for what it is where the activations of an agency's own ID were asked for. */
export function unknownListing(error: ServiceError): ServiceError {
	if (!isNoListing(error)) return error;
	return error.with(`The service finds no listing for this ID of yours (${error.details.status})`, {
		remedy:
			'Check the filter “Customer Listing ID”: it is the ID that your own software gave the listing when it sent it to the portal. The service’s own ID belongs into the filter “Listing ID”.',
	});
}

function isNoListing({ kind, details: { code, status } }: ServiceError): boolean {
	return kind === 'rejected' && isUnmatched(code, status);
}

/** Whether the service has said no to what it was asked for, in its documented way or by its codes. */
function isRefusal({ kind, details: { code, status } }: ServiceError): boolean {
	return ['rejected', 'forbidden'].includes(kind) && isAboutRequest(code, status);
}

/** Names a 404 for what it is where an activation was asked for. */
export function unknownActivation(error: ServiceError): ServiceError {
	if (error.details.status !== 404) return error;
	return new ServiceError('missing', 'The service found no such activation (404)', {
		...error.details,
		remedy: 'Check the ID, and that it belongs to this product.',
	});
}
