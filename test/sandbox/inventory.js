// @ts-check
const { agencyProperties } = require('./propertyData');

/** @typedef {import('./propertyData').Property} Property */

const USUAL_COUNT = 1200;

/** The properties of each agency, made when first asked for. */
class Inventory {
	/** @param {number} seed */
	constructor(seed) {
		this.seed = seed;
		/** @type {Map<string, Property[]>} */
		this.byAgency = new Map();
	}

	/**
	 * Replaces what the agency has.
	 *
	 * @param {string} agencyRef
	 * @param {number} count
	 * @returns {Property[]}
	 */
	fill(agencyRef, count) {
		const properties = agencyProperties(this.seed, agencyRef, count);
		this.byAgency.set(agencyRef, properties);
		return properties;
	}

	/**
	 * @param {string} agencyRef
	 * @returns {Property[]}
	 */
	of(agencyRef) {
		return this.byAgency.get(agencyRef) ?? this.fill(agencyRef, USUAL_COUNT);
	}
}

module.exports = { Inventory };
