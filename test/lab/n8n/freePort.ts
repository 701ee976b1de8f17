/** Below the ports that Linux (from 32768) and macOS (from 49152) give to outgoing connections. */
const FIRST = 12_000;
const SLICES = 180;
const SLICE_SIZE = 100;

let given = 0;

/**
 * A port that is still free when n8n listens on it, 20 seconds later. One that the system picks is not: by then it may
 * have gone to a connection of the test beside this one. Each process gives the ports of its own slice in turn, so that
 * two give the same only if their process ids are a multiple of 180 apart.
 */
export function freePort(): number {
	return FIRST + (process.pid % SLICES) * SLICE_SIZE + (given++ % SLICE_SIZE);
}
