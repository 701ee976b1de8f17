/** A process that runs for months must not remember each client that it ever had. */
const MOST_REMEMBERED = 1_000;

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
