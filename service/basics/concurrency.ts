/** How many requests are under way at most, if the service can bear as many; see `Width`. */
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

/**
 * Works on what is due until nothing is, with at most `limit` calls under way at once: each result may make more
 * due. Failures are as in `mapConcurrently`.
 *
 * @param due at most so many items as it is asked for
 */
export async function workWhileDue<T>(
	limit: number,
	due: (most: number) => T[],
	work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
	const failure = new AbortController();
	let underWay = 0;
	await new Promise<void>((resolve, reject) => {
		const goOn = () => {
			if (failure.signal.aborted) return;
			for (const item of due(limit - underWay)) {
				underWay++;
				work(item, failure.signal)
					.then(() => {
						underWay--;
						goOn();
					})
					.catch(fail);
			}
			if (underWay === 0) resolve();
		};
		const fail = (error: Error) => {
			reject(error);
			failure.abort();
		};
		goOn();
	});
}
