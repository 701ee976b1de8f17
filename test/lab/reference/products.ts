import type { Door, WireRequest } from './http';
import { get, write } from './http';

export const PATHS = {
	premium: '/products/premium-listings',
	weekly: '/products/weekly-featured-properties',
} as const;

export type Product = keyof typeof PATHS;

/** At most one of the two ids. */
interface OfListing {
	listingId?: string;
	customerListingId?: string;
}

export interface PremiumQuestion extends OfListing {
	date_from?: Date;
	date_to?: Date;
}

/** Here the start is a day, such as `2026-03-02`, and there is no end. */
export interface WeeklyQuestion extends OfListing {
	date_from?: string;
}

export interface HighlightRequest {
	id: number;
	description?: string;
}

/** Exactly one of the two ids; highlights are for premium listings. */
export type Order = ({ listingId: number } | { customerListingId: string }) & {
	highlights?: HighlightRequest[];
	customDetails?: Record<string, unknown>;
};

export function listPremium(door: Door, question: PremiumQuestion = {}): WireRequest {
	return get(door, PATHS.premium, question);
}

export function listWeekly(door: Door, question: WeeklyQuestion = {}): WireRequest {
	return get(door, PATHS.weekly, question);
}

export function getActivation(door: Door, product: Product, uuid: string): WireRequest {
	return get(door, `${PATHS[product]}/${encodeURIComponent(uuid)}`);
}

/** Spends a credit: never sent but to a server of the tests. */
export function activate(door: Door, product: Product, order: Order): WireRequest {
	return write('POST', door, PATHS[product], order);
}

/** Premium listings only. */
export function updateHighlights(
	door: Door,
	uuid: string,
	highlights: HighlightRequest[],
): WireRequest {
	const path = `${PATHS.premium}/${encodeURIComponent(uuid)}`;
	return write('PATCH', door, path, { highlights });
}
