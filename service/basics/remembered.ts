/**
 * A pure function that remembers its results. After `most` of them it forgets all and begins again, so
 * that values without end take no memory without end.
 */
export function remembered<K, V>(most: number, find: (key: K) => V): (key: K) => V {
	const results = new Map<K, V>();
	return (key) => {
		const known = results.get(key);
		if (known !== undefined) return known;
		if (results.size >= most) results.clear();
		const found = find(key);
		results.set(key, found);
		return found;
	};
}
