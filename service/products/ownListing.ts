import type { Activation, Listing } from './products';
import { listingOf } from './products';

/** What a list of activations that was asked for one listing holds. */
export interface Sorted {
	/** Of the listing. */
	own: Activation[];
	/** Perhaps of the listing: the service has not kept to it, and nothing tells whose these are. */
	unclear: Activation[];
}

/**
 * A service that keeps to the listing may leave its ID out. One that shows other listings as well has
 * not kept to it: then only what names the listing is of it. What listing an agency's own ID means
 * is not known here, so there all of them have to be of one.
 */
export function sortByListing(activations: Activation[], listing: Listing): Sorted {
	const named = activations.map(listingOf).filter((id) => id !== undefined);
	const wanted = 'listingId' in listing ? listing.listingId : onlyOne(named);
	const hasOthers = named.some((id) => id !== wanted);
	const own = activations.filter((activation) => {
		const id = listingOf(activation);
		return id === undefined ? !hasOthers : id === wanted;
	});
	const isUnclear = (activation: Activation) =>
		!own.includes(activation) && (wanted === undefined || listingOf(activation) === undefined);
	return { own, unclear: activations.filter(isUnclear) };
}

/** Whether an activation is of the listing by its own word. */
export function names(activation: Activation, listing: Listing): boolean {
	return 'listingId' in listing && listingOf(activation) === listing.listingId;
}

/** Whether an activation that the service points to for a listing can be of it. */
export function mayBeOf(activation: Activation, listing: Listing): boolean {
	const id = listingOf(activation);
	return id === undefined || !('listingId' in listing) || id === listing.listingId;
}

/** Undefined where there are several, or none. */
function onlyOne(ids: number[]): number | undefined {
	return new Set(ids).size === 1 ? ids[0] : undefined;
}
