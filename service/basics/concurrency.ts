/**
 * The largest number of requests under way at the same time. If the service can handle fewer, `Throttle` sends fewer.
 */
export const MOST_REQUESTS_AT_ONCE = 16;

/**
 * Calls an asynchronous function for each item, with at most `limit` calls at the same time, and returns the results in
 * the order of the items. After the first failure, it throws that failure, starts no further call, and aborts the
 * signal that the other calls got.
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	limit: number,
	map: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
	const results: R[] = [];
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
