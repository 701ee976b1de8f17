/** Has a map or set forget what it has known longest, until at most `most` is left: it lives as long as its process. */
export function keepNewest<K>(
	known: Pick<Map<K, unknown> | Set<K>, 'size' | 'delete' | 'keys'>,
	most: number,
): void {
	for (const oldest of known.keys()) {
		if (known.size <= most) return;
		known.delete(oldest);
	}
}
