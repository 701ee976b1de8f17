// @ts-check
const { agencyProperties } = require('./propertyData');

/** @typedef {import('./propertyData').Property} Property */

const USUAL_COUNT = 1200;

/**
 * The agencies that a usual client may ask for.
 *
 * @type {[string, string]}
 */
const AGENCY_REFS = [
	'6f1d2c3b-4a59-4e87-9c60-112233445566',
	'c07d9e52-3b64-4d28-8f1e-665544332211',
];

/** The properties of each agency, made when first asked for. */
class Inventory {
	/** @param {number} seed */
	constructor(seed) {
		this.seed = seed;
		/** @type {Map<string, Property[]>} */
		this.byAgency = new Map();
		/** However many rows are asked for, a page has no more. */
		this.mostOnPage = Infinity;
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

module.exports = { AGENCY_REFS, Inventory };
