/** A process that runs for months must not remember each client that it ever had. */
const MOST_REMEMBERED = 1_000;

/** A function that remembers its results, and forgets the oldest: it lives as long as its process. */
export function remembered<K, V>(find: (key: K) => V): (key: K) => V {
	const results = new Map<K, V>();
	return (key) => {
		const known = results.get(key);
		if (known !== undefined) return known;
		const found = find(key);
		results.set(key, found);
		keepNewest(results);
		return found;
	};
}

/** Has a map or set forget what it has known longest. */
export function keepNewest<K>(
	known: Pick<Map<K, unknown> | Set<K>, 'size' | 'delete' | 'keys'>,
	most = MOST_REMEMBERED,
): void {
	for (const oldest of known.keys()) {
		if (known.size <= most) return;
		known.delete(oldest);
	}
}
