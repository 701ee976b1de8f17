/** The most requests that may be under way at once. The service may bear fewer; see `Throttle`. */
export const MOST_REQUESTS_AT_ONCE = 16;

/**
 * Maps items with at most `limit` calls under way at once. Results keep the order of the items. On the first failure,
 * it throws that failure, starts no further call, and aborts the signal of the calls under way.
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	limit: number,
	map: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
	const results = new Array<R>(items.length);
	const queue = items.entries();
	const failure = new AbortController();
	const work = async () => {
		for (const [index, item] of queue) {
			if (failure.signal.aborted) return;
			results[index] = await map(item, failure.signal).catch((error: unknown) => {
				failure.abort();
				throw error;
			});
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
	return results;
}
