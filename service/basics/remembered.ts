/**
 * The largest number of entries that a map or set in memory keeps by default. A process that runs for months must not
 * remember every client ID that it has seen.
 */
const MOST_REMEMBERED = 1_000;

/** Removes the oldest entries of a map or set, if it has too many. */
export function keepNewest<K>(
	known: Pick<Map<K, unknown> | Set<K>, 'size' | 'delete' | 'keys'>,
	most = MOST_REMEMBERED,
): void {
	for (const oldest of known.keys()) {
		if (known.size <= most) return;
		known.delete(oldest);
	}
}
