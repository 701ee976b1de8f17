/** When the last order for each listing of this process is over; see `behindOthers`. */
const overOf = new Map<string, Promise<unknown>>();

/** A place behind the orders for the same listing that are under way in this process. */
export interface PlaceInLine {
	/** When all of them are over; undefined if there are none. */
	othersAreOver?: Promise<unknown>;
	/** Lets the next one go. */
	leave: () => void;
}

/**
 * Two executions that look at a listing at the same time both find nothing, and the service may take two orders: one
 * looks only once it is known what became of the other.
 *
 * @param key whose order it is, and for which listing
 */
export function behindOthers(key: string): PlaceInLine {
	const othersAreOver = overOf.get(key);
	let leave = () => {};
	const isLeft = new Promise<void>((resolve) => (leave = resolve));
	const over = Promise.all([othersAreOver, isLeft]).then(() => {
		if (overOf.get(key) === over) overOf.delete(key);
	});
	overOf.set(key, over);
	return { othersAreOver, leave };
}
