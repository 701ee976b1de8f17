/**
 * Maps with at most `limit` calls under way at once, results in the order of the items. After a
 * failure nothing more is started, and the first failure is thrown.
 */
export async function mapConcurrently<T, R>(
	items: readonly T[],
	limit: number,
	map: (item: T) => Promise<R>,
): Promise<R[]> {
	const results = new Array<R>(items.length);
	const queue = items.entries();
	let failed = false;
	const work = async () => {
		for (const [index, item] of queue) {
			if (failed) return;
			const [outcome] = await Promise.allSettled([map(item)]);
			failed ||= outcome.status === 'rejected';
			if (outcome.status === 'rejected') throw outcome.reason;
			results[index] = outcome.value;
		}
	};
	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
	return results;
}
