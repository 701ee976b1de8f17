/** A function that remembers its results, and forgets the oldest: it lives as long as its process. */
export function remembered<K, V>(most: number, find: (key: K) => V): (key: K) => V {
	const results = new Map<K, V>();
	return (key) => {
		const known = results.get(key);
		if (known !== undefined) return known;
		const found = find(key);
		results.set(key, found);
		keepNewest(results, most);
		return found;
	};
}

/** Has a map or set forget what it has known longest, until at most `most` is left. */
export function keepNewest<K>(
	known: Pick<Map<K, unknown> | Set<K>, 'size' | 'delete' | 'keys'>,
	most: number,
): void {
	for (const oldest of known.keys()) {
		if (known.size <= most) return;
		known.delete(oldest);
	}
}
