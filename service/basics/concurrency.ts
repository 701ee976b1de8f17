/** How many requests are under way at most, if the service can bear as many; see `Throttle`. */
export const MOST_REQUESTS_AT_ONCE = 16;

/**
 * Maps with at most `limit` calls under way at once, results in the order of the items. The first
 * failure is thrown; nothing more is started then, and the signal ends what is under way.
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
