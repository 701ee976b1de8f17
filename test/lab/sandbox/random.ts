/** the next number in [0, 1) */
export type Random = () => number;

/** mulberry32: small and fast, with the same numbers on every host. */
export function createRandom(seed: number): Random {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
	};
}

/** @returns an unsigned 32-bit number (FNV-1a) */
export function seedOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	}
	return hash >>> 0;
}

/** @param highest inclusive */
export function integer(random: Random, lowest: number, highest: number): number {
	return lowest + Math.floor(random() * (highest - lowest + 1));
}

/** @param list not empty */
export function pick<T>(random: Random, list: readonly T[]): T {
	return at(list, Math.floor(random() * list.length));
}

/** The element at an index within the list. A guard cannot tell: undefined may be an element. */
function at<T>(list: readonly T[], index: number): T {
	return list[index] as T;
}

export function chance(random: Random, probability: number): boolean {
	return random() < probability;
}

function word(random: Random): string {
	return Math.floor(random() * 0x100000000)
		.toString(16)
		.padStart(8, '0');
}

/** @returns a version 4 uuid */
export function uuid(random: Random): string {
	const hex = word(random) + word(random) + word(random) + word(random);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** @returns a copy in another order */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
	const copy = list.slice();
	for (let last = copy.length - 1; last > 0; last--) {
		const other = Math.floor(random() * (last + 1));
		const kept = at(copy, last);
		copy[last] = at(copy, other);
		copy[other] = kept;
	}
	return copy;
}
