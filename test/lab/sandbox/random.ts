import sortBy from 'lodash/sortBy';

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
	// A guard cannot tell that there is one: undefined may be an element.
	return list[Math.floor(random() * list.length)] as T;
}

export function chance(random: Random, probability: number): boolean {
	return random() < probability;
}

/** @returns a version 4 uuid */
export function uuid(random: Random): string {
	return '********-****-4***-a***-************'.replace(/\*/g, () =>
		integer(random, 0, 15).toString(16),
	);
}

/** @returns a copy in another order */
export function shuffled<T>(random: Random, list: readonly T[]): T[] {
	return sortBy(list, () => random());
}
