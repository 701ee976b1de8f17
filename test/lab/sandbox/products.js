// @ts-check
const { DAY, isoSeconds } = require('./clock');
const { createRandom, seedOf, uuid } = require('./random');

/** @typedef {'premium-listings' | 'weekly-featured-properties'} Product */
/** @typedef {'PENDING' | 'ACTIVATED' | 'DEACTIVATED' | 'SCHEDULED' | 'ERROR'} Result */
/** @typedef {{ id: number, description?: string, key?: string }} Highlight with a key where it is shown */
/** @typedef {{ reason: string, code: number }} ActivationError */

/**
 * How activations that are made from now on turn out, and how the API words some answers.
 *
 * @typedef {object} ProductsBehaviour
 * @property {number | null} settleAfterGets how many looks at the activation still find it pending; null: looks settle nothing
 * @property {number | null} settleAfterMs by the sandbox's clock; null: time settles nothing
 * @property {'ACTIVATED' | 'SCHEDULED' | 'ERROR'} result
 * @property {ActivationError[]} errors of an activation that ends in ERROR
 * @property {'array' | 'object'} errorsAs the form of `status.errors`
 * @property {'done' | 'failed'} updateResult what becomes of a PATCH
 * @property {'object' | 'array'} updateAnswer the form of the answer to a PATCH
 * @property {'redirect' | 'refuse'} duplicates 303, or 400 with a code
 * @property {'published' | 'full'} location published: without /products, which leads nowhere
 * @property {'seconds' | 'nanoseconds' | 'offset'} times how they are written
 * @property {string[]} unknownListings customers’ ids that match no listing
 */

/**
 * @typedef {object} ActivationStatus
 * @property {Result} result
 * @property {'WAITING_FOR_UPDATE' | 'LAST_UPDATE_FAILED'} [currently]
 * @property {ActivationError[] | { errors: ActivationError[] }} [errors]
 */

/**
 * @typedef {object} Activation
 * @property {string} id
 * @property {number} listingId
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string} createdBy
 * @property {string} [expiryAt] once it is known
 * @property {string} [startAt] weekly only, and of what is planned: a premium one does not tell
 * @property {boolean} [isRenewable] weekly only
 * @property {Highlight[]} [highlights] premium only
 * @property {Record<string, unknown>} [customDetails]
 * @property {ActivationStatus} status
 */

/**
 * An activation and what the service knows beyond what it shows.
 *
 * @typedef {object} ActivationRecord
 * @property {Product} product
 * @property {Activation} shown
 * @property {ProductsBehaviour} behaviour as it was when the activation was made
 * @property {number} waitingSince epoch milliseconds
 * @property {number} looks since it waits
 * @property {number} [startsAt] epoch milliseconds, of what is planned
 * @property {Highlight[]} [update] the highlights that wait
 */

/**
 * @typedef {object} ActivationRequest
 * @property {number} listingId
 * @property {Highlight[]} [highlights]
 * @property {Record<string, unknown>} [customDetails]
 */

/** @type {ProductsBehaviour} */
const USUAL = {
	settleAfterGets: 1,
	settleAfterMs: null,
	result: 'ACTIVATED',
	errors: [{ reason: 'No details of the listing', code: 1_021_003 }],
	errorsAs: 'array',
	updateResult: 'done',
	updateAnswer: 'object',
	duplicates: 'redirect',
	location: 'published',
	times: 'seconds',
	unknownListings: ['no-such-listing'],
};
const PREMIUM_TERM = 28 * DAY;
const WEEKLY_TERM = 7 * DAY;

/** The activations, which settle as time passes or as they are looked at. */
class Products {
	/**
	 * @param {number} seed
	 * @param {() => number} now epoch milliseconds
	 * @param {(product: Product, listingId: number) => void} spent
	 */
	constructor(seed, now, spent) {
		this.random = createRandom(seed + 7);
		this.now = now;
		this.spent = spent;
		this.behaviour = USUAL;
		/** @type {Map<string, ActivationRecord>} */
		this.records = new Map();
	}

	/** @param {Partial<ProductsBehaviour>} patch */
	configure(patch) {
		this.behaviour = { ...this.behaviour, ...patch };
	}

	/** Forgets the activations and how they were to turn out. */
	clear() {
		this.records.clear();
		this.behaviour = USUAL;
	}

	/**
	 * Takes one credit.
	 *
	 * @param {Product} product
	 * @param {ActivationRequest} request
	 * @param {string} createdBy
	 * @returns {Activation}
	 */
	activate(product, request, createdBy) {
		const record = this.#newRecord(product, request, createdBy);
		this.records.set(record.shown.id, record);
		this.spent(product, request.listingId);
		return structuredClone(record.shown);
	}

	/**
	 * @param {Product} product
	 * @param {ActivationRequest} request
	 * @param {string} createdBy
	 * @returns {ActivationRecord}
	 */
	#newRecord(product, request, createdBy) {
		const now = this.now();
		/** @type {Activation} */
		const shown = {
			id: uuid(this.random),
			listingId: request.listingId,
			createdAt: this.written(now),
			updatedAt: this.written(now),
			createdBy,
			...(product === 'premium-listings'
				? { highlights: (request.highlights ?? []).map(withKey) }
				: { isRenewable: true }),
			...(request.customDetails === undefined ? {} : { customDetails: request.customDetails }),
			status: { result: 'PENDING' },
		};
		return { product, shown, behaviour: this.behaviour, waitingSince: now, looks: 0 };
	}

	/**
	 * @param {Product} product
	 * @returns {ActivationRecord[]} as they stand now, in the order of making
	 */
	list(product) {
		const records = [...this.records.values()].filter((record) => record.product === product);
		for (const record of records) this.#keepUp(record);
		return records;
	}

	/**
	 * @param {Product} product
	 * @param {string} id
	 * @returns {ActivationRecord | undefined}
	 */
	find(product, id) {
		const record = this.records.get(id);
		if (record?.product !== product) return undefined;
		this.#keepUp(record);
		return record;
	}

	/**
	 * @param {number} time epoch milliseconds
	 * @returns {string}
	 */
	written(time) {
		return TIMES[this.behaviour.times](time);
	}

	/**
	 * What is planned is not in the way: nobody says that the service refuses another order then.
	 *
	 * @param {Product} product
	 * @param {number} listingId
	 * @returns {ActivationRecord | undefined} what stands in the way of another activation
	 */
	current(product, listingId) {
		return this.list(product).find(({ shown }) => {
			return shown.listingId === listingId && isCurrent(shown.status.result);
		});
	}

	/** @param {ActivationRecord} record that was asked for by its id */
	look(record) {
		record.looks++;
		this.#keepUp(record);
	}

	/**
	 * @param {ActivationRecord} record
	 * @param {Highlight[]} highlights
	 */
	update(record, highlights) {
		record.update = highlights;
		record.behaviour = this.behaviour;
		record.waitingSince = this.now();
		record.looks = 0;
		record.shown.status = { ...record.shown.status, currently: 'WAITING_FOR_UPDATE' };
	}

	/**
	 * Ends the waiting of one activation, or of all, at once.
	 *
	 * @param {string} [id]
	 * @param {Partial<ProductsBehaviour>} [patch] another end than the one that was planned
	 */
	settle(id, patch = {}) {
		for (const record of this.records.values()) {
			if (id !== undefined && record.shown.id !== id) continue;
			record.behaviour = { ...record.behaviour, ...patch };
			this.#settle(record, this.now());
		}
	}

	/** @param {ActivationRecord} record */
	#keepUp(record) {
		const { settleAfterGets, settleAfterMs } = record.behaviour;
		const dueAt = settleAfterMs === null ? Infinity : record.waitingSince + settleAfterMs;
		if (dueAt <= this.now()) this.#settle(record, dueAt);
		else if (settleAfterGets !== null && record.looks > settleAfterGets) {
			this.#settle(record, this.now());
		}
		passTime(record, this.now());
	}

	/**
	 * @param {ActivationRecord} record
	 * @param {number} at epoch milliseconds
	 */
	#settle(record, at) {
		const { shown } = record;
		const written = (/** @type {number} */ time) => this.written(time);
		if (shown.status.result === 'PENDING') {
			shown.updatedAt = written(at);
			conclude(record, at, written);
		} else if (record.update !== undefined) {
			shown.updatedAt = written(at);
			concludeUpdate(record, record.update);
		}
	}
}

/** @param {Result} result */
function isCurrent(result) {
	return result === 'PENDING' || result === 'ACTIVATED';
}

/** @type {Record<ProductsBehaviour['times'], (time: number) => string>} */
const TIMES = {
	seconds: isoSeconds,
	nanoseconds: (time) => `${isoSeconds(time).slice(0, 19)}.000000001Z`,
	offset: (time) => `${isoSeconds(time + 5_400_000).slice(0, 19)}+01:30`,
};

/**
 * @param {Highlight} highlight
 * @returns {Highlight}
 */
function withKey(highlight) {
	return { ...highlight, key: `highlight-${highlight.id}` };
}

/**
 * @param {ActivationRecord} record
 * @param {number} at epoch milliseconds
 * @param {(time: number) => string} written
 */
function conclude(record, at, written) {
	const { product, shown, behaviour } = record;
	const { result, errors, errorsAs } = behaviour;
	if (result === 'ERROR') {
		shown.status = { result, errors: errorsAs === 'array' ? errors : { errors } };
		return;
	}
	const start = result === 'SCHEDULED' ? at + WEEKLY_TERM : at;
	const term = product === 'premium-listings' ? PREMIUM_TERM : WEEKLY_TERM;
	shown.status = { result };
	shown.expiryAt = written(start + term);
	if (result !== 'SCHEDULED') return;
	record.startsAt = start;
	if (product === 'weekly-featured-properties') shown.startAt = written(start);
}

/**
 * @param {ActivationRecord} record
 * @param {Highlight[]} update
 */
function concludeUpdate(record, update) {
	const failed = record.behaviour.updateResult === 'failed';
	record.update = undefined;
	if (!failed) record.shown.highlights = update.map(withKey);
	record.shown.status = {
		result: record.shown.status.result,
		...(failed ? { currently: 'LAST_UPDATE_FAILED' } : {}),
	};
}

/**
 * @param {ActivationRecord} record
 * @param {number} now epoch milliseconds
 */
function passTime({ shown, startsAt = Infinity }, now) {
	const { status, expiryAt } = shown;
	if (status.result === 'SCHEDULED' && now >= startsAt) {
		shown.status = { ...status, result: 'ACTIVATED' };
	}
	if (shown.status.result === 'ACTIVATED' && now >= Date.parse(expiryAt ?? '')) {
		shown.status = { ...status, result: 'DEACTIVATED' };
	}
}

/**
 * @param {string} customerListingId the agency's own id
 * @returns {number} the listing that goes by it
 */
function listingOf(customerListingId) {
	return 10_000_000 + (seedOf(customerListingId) % 90_000_000);
}

module.exports = { Products, listingOf };
