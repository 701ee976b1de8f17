// @ts-check

/** @typedef {() => number} Random the next number in [0, 1) */

/**
 * mulberry32: small, quick, and the same everywhere.
 *
 * @param {number} seed
 * @returns {Random}
 */
function createRandom(seed) {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
	};
}

/**
 * @param {string} text
 * @returns {number} an unsigned 32-bit number (FNV-1a)
 */
function seedOf(text) {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	}
	return hash >>> 0;
}

/**
 * @param {Random} random
 * @param {number} lowest
 * @param {number} highest inclusive
 */
function integer(random, lowest, highest) {
	return lowest + Math.floor(random() * (highest - lowest + 1));
}

/**
 * @template T
 * @param {Random} random
 * @param {readonly T[]} list not empty
 * @returns {T}
 */
function pick(random, list) {
	return /** @type {T} */ (list[Math.floor(random() * list.length)]);
}

/**
 * @param {Random} random
 * @param {number} probability
 */
function chance(random, probability) {
	return random() < probability;
}

/** @param {Random} random */
function word(random) {
	return Math.floor(random() * 0x100000000)
		.toString(16)
		.padStart(8, '0');
}

/**
 * @param {Random} random
 * @returns {string} a version 4 uuid
 */
function uuid(random) {
	const hex = word(random) + word(random) + word(random) + word(random);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * @template T
 * @param {Random} random
 * @param {readonly T[]} list
 * @returns {T[]} a copy in another order
 */
function shuffled(random, list) {
	const copy = list.slice();
	for (let last = copy.length - 1; last > 0; last--) {
		const other = Math.floor(random() * (last + 1));
		const kept = /** @type {T} */ (copy[last]);
		copy[last] = /** @type {T} */ (copy[other]);
		copy[other] = kept;
	}
	return copy;
}

module.exports = { createRandom, seedOf, integer, pick, chance, uuid, shuffled };
