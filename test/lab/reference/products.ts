import type { Door, Values } from './http';
import { call } from './http';

export type Product = 'premium' | 'weekly';

/** Exactly one of the two ids; highlights are for premium listings. */
export type Order = ({ listingId: number } | { customerListingId: string }) & {
	highlights?: object[];
	customDetails?: Record<string, unknown>;
};

const named = (verb: string, product: Product) =>
	verb + (product === 'premium' ? 'Premium' : 'Weekly');

export const listPremium = (door: Door, values?: Values) => call(door, 'listPremium', values);

export const listWeekly = (door: Door, values?: Values) => call(door, 'listWeekly', values);

export const getActivation = (door: Door, product: Product, uuid: string) =>
	call(door, named('get', product), { uuid });

/** Spends a credit: never sent but to a server of the tests. */
export const activate = (door: Door, product: Product, order: Order) =>
	call(door, named('activate', product), {}, order);

export const updateHighlights = (door: Door, uuid: string, highlights: object[]) =>
	call(door, 'updateHighlights', { uuid }, { highlights });
