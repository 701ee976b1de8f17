// @ts-check
const { DAY, SECOND, isoMinutes, isoSeconds } = require('./clock');
const { isRecord } = require('./http');
const { leadBody } = require('./leadBodies');
const { chance, createRandom, integer, pick } = require('./random');

/** @typedef {import('./leadBodies').LeadKind} LeadKind */
/** @typedef {import('./leadBodies').LeadOwner} LeadOwner */
/** @typedef {import('./leadBodies').ApplicantLead} ApplicantLead */
/** @typedef {import('./leadBodies').AppraisalLead} AppraisalLead */
/** @typedef {Record<string, unknown>} Overrides merged into the lead, plain objects deeply */

/**
 * The text is kept rather than the object: an answer is then a matter of joining.
 *
 * @typedef {object} StoredLead
 * @property {number} at epoch milliseconds, whole seconds: where the lead lies in the time window
 * @property {number} receivedAt epoch milliseconds; not shown before
 * @property {LeadOwner} owner
 * @property {string} text
 * @property {boolean} [isOdd] whether it breaks the contract on purpose
 */

/**
 * @typedef {object} OwnLeadOptions
 * @property {number} [receivedAt] epoch milliseconds; a lead received later than now is shown then
 * @property {boolean} [isOdd] whether the overrides break the contract on purpose
 */

/** @typedef {LeadOwner & OwnLeadOptions} LeadOptions */

/**
 * @typedef {object} BulkOptions
 * @property {number} [from] epoch milliseconds; default: 30 days ago
 * @property {number} [to] epoch milliseconds, inclusive; default: now
 * @property {number} [receivedAt] epoch milliseconds; default: each when it was created
 * @property {Overrides} [overrides]
 * @property {string | string[]} [branchId] several: spread over them
 * @property {string | string[]} [brandId]
 * @property {string | string[]} [companyId]
 * @property {string | string[]} [groupId]
 */

/** @type {(keyof LeadOwner)[]} */
const OWNER_FIELDS = ['branchId', 'brandId', 'companyId', 'groupId'];
const RETENTION = 30 * DAY;
const FIRST_REAL_TIME = Date.parse('0002-01-01T00:00:00Z');

/** The leads, by the time at which they came. */
class Leads {
	/**
	 * @param {number} seed
	 * @param {() => number} now epoch milliseconds
	 */
	constructor(seed, now) {
		this.seed = seed;
		this.now = now;
		this.added = 0;
		/** @type {Record<LeadKind, StoredLead[]>} */
		this.stored = { applicant: [], appraisal: [] };
		/** @type {Record<LeadKind, boolean>} */
		this.sorted = { applicant: true, appraisal: true };
	}

	/**
	 * @template {LeadKind} K
	 * @param {K} kind
	 * @param {Overrides} [overrides]
	 * @param {LeadOptions} [options]
	 * @returns {import('./leadBodies').LeadOf<K>}
	 */
	add(kind, overrides = {}, options = {}) {
		const receivedAt = options.receivedAt ?? this.now();
		const lead = merged(
			leadBody(kind, this.#nextRandom(), isoSeconds(receivedAt), options),
			overrides,
		);
		this.#store(kind, lead, receivedAt, ownerOf(options), options.isOdd);
		return lead;
	}

	/**
	 * @template {LeadKind} K
	 * @param {K} kind
	 * @param {number} count
	 * @param {BulkOptions} [options]
	 * @returns {import('./leadBodies').LeadOf<K>[]} in the order of making, which is none
	 */
	addMany(kind, count, options = {}) {
		const { from = this.now() - RETENTION, to = this.now(), overrides = {} } = options;
		const first = Math.ceil(from / SECOND);
		const last = Math.floor(to / SECOND);
		return Array.from({ length: count }, () => {
			const random = this.#nextRandom();
			const at = integer(random, first, last) * SECOND;
			const owner = spreadOwner(random, options);
			const lead = merged(
				leadBody(kind, random, createdAtText(random, at, from), owner),
				overrides,
			);
			this.#store(kind, lead, options.receivedAt ?? at, owner);
			return lead;
		});
	}

	clear() {
		this.stored = { applicant: [], appraisal: [] };
	}

	/** @param {LeadKind} kind */
	count(kind) {
		return this.stored[kind].length;
	}

	/**
	 * @param {LeadKind} kind
	 * @param {number} from epoch milliseconds, inclusive
	 * @param {number} to epoch milliseconds, inclusive
	 * @returns {StoredLead[]} the leads of the window that are here and still kept, oldest first
	 */
	between(kind, from, to) {
		const list = this.#inOrder(kind);
		const now = this.now();
		const start = firstAtLeast(list, Math.max(from, now - RETENTION));
		const end = firstAtLeast(list, to + 1);
		return list.slice(start, end).filter((lead) => lead.receivedAt <= now);
	}

	#nextRandom() {
		return createRandom(Math.imul(this.seed, 0x9e3779b1) + Math.imul(++this.added, 0x85ebca6b));
	}

	/**
	 * @param {LeadKind} kind
	 * @param {{ createdAt: unknown }} lead
	 * @param {number} receivedAt
	 * @param {LeadOwner} owner
	 * @param {boolean} [isOdd]
	 */
	#store(kind, lead, receivedAt, owner, isOdd) {
		const at = windowTime(lead.createdAt, receivedAt);
		this.stored[kind].push({ at, receivedAt, owner, text: JSON.stringify(lead), isOdd });
		this.sorted[kind] = false;
	}

	/** @param {LeadKind} kind */
	#inOrder(kind) {
		const list = this.stored[kind];
		if (!this.sorted[kind]) {
			list.sort((one, other) => one.at - other.at);
			this.sorted[kind] = true;
		}
		return list;
	}
}

/**
 * @param {unknown} createdAt
 * @param {number} receivedAt
 * @returns {number} epoch milliseconds: the creation, or the receipt if that is unset, unreadable or yet to come
 */
function windowTime(createdAt, receivedAt) {
	const created = typeof createdAt === 'string' ? Date.parse(createdAt) : NaN;
	const usable = created >= FIRST_REAL_TIME && created <= receivedAt;
	return Math.floor((usable ? created : receivedAt) / SECOND) * SECOND;
}

/**
 * @param {import('./random').Random} random
 * @param {number} at epoch milliseconds
 * @param {number} from epoch milliseconds: a time in minutes must not fall before it
 */
function createdAtText(random, at, from) {
	const minutes = isoMinutes(at);
	return chance(random, 0.125) && Date.parse(minutes) >= from ? minutes : isoSeconds(at);
}

/**
 * @param {StoredLead[]} list by time
 * @param {number} at
 * @returns {number} the index of the first lead at that time or later
 */
function firstAtLeast(list, at) {
	let low = 0;
	let high = list.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (/** @type {StoredLead} */ (list[middle]).at < at) low = middle + 1;
		else high = middle;
	}
	return low;
}

/**
 * @param {LeadOwner} options
 * @returns {LeadOwner}
 */
function ownerOf({ branchId, brandId, companyId, groupId }) {
	return { branchId, brandId, companyId, groupId };
}

/**
 * @param {import('./random').Random} random
 * @param {BulkOptions} options
 * @returns {LeadOwner}
 */
function spreadOwner(random, options) {
	/** @type {LeadOwner} */
	const owner = {};
	for (const field of OWNER_FIELDS) {
		const ids = options[field];
		owner[field] = Array.isArray(ids) ? pick(random, ids) : ids;
	}
	return owner;
}

/**
 * @template {object} T
 * @param {T} target
 * @param {Overrides} overrides
 * @returns {T}
 */
function merged(target, overrides) {
	/** @type {Record<string, unknown>} */
	const fields = {};
	Object.assign(fields, target);
	for (const [name, value] of Object.entries(overrides)) {
		const before = fields[name];
		fields[name] = isRecord(before) && isRecord(value) ? merged(before, value) : value;
	}
	return /** @type {T} */ (fields);
}

module.exports = { Leads };
