// @ts-check
const { EventEmitter } = require('node:events');
// Not the globals: a test with a mocked clock still gets its time-out.
const { setTimeout, clearTimeout } = require('node:timers');

/**
 * @typedef {object} LoggedRequest
 * @property {number} at epoch milliseconds by the service's clock
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string[]>} query empty for a token request, which has none worth keeping
 * @property {string | null} clientId
 * @property {string | null} agencyRef
 * @property {number | null} status null: not answered yet; 0: the connection ended without an answer
 * @property {number | null} tokenIndex which token of its client was used or issued, from 1
 */

/**
 * @typedef {object} Counts
 * @property {Record<string, number>} tokens issued, by client
 * @property {Record<string, number>} tokenRequests by client, refused ones too; '' names none
 * @property {Record<string, Record<string, number>>} data requests by path (ids as `{id}`, `{uuid}`) and client; '' is unknown
 * @property {number} dataRequests
 * @property {number} credits
 * @property {Record<string, Record<string, number>>} creditsBy by product and listing id
 * @property {Record<string, number>} maxInFlight the most requests at once, by path
 */

/** @typedef {{ timeoutMs?: number }} WaitOptions */

const KEPT_REQUESTS = 10_000;

/** @returns {Counts} */
function noCounts() {
	return {
		tokens: {},
		tokenRequests: {},
		data: {},
		dataRequests: 0,
		credits: 0,
		creditsBy: {},
		maxInFlight: {},
	};
}

/**
 * @param {Record<string, number>} counts
 * @param {string} key
 */
function increment(counts, key) {
	counts[key] = (counts[key] ?? 0) + 1;
}

/** What was served, counted and logged; and the place to wait for it. */
class Journal extends EventEmitter {
	constructor() {
		super();
		this.setMaxListeners(0);
		this.counts = noCounts();
		/** @type {LoggedRequest[]} */
		this.requests = [];
		/** @type {Map<string, number>} */
		this.inFlight = new Map();
	}

	/** What is under way stays under way, and is the new maximum. */
	reset() {
		this.counts = noCounts();
		this.requests = [];
		for (const [path, open] of this.inFlight) this.counts.maxInFlight[path] = open;
	}

	/**
	 * @param {LoggedRequest} entry
	 * @param {string} template
	 * @param {'token' | 'data'} kind
	 * @returns {(status: number) => void} to be called with the status; only the first call counts
	 */
	open(entry, template, kind) {
		this.#count(entry, template, kind);
		this.requests.push(entry);
		if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
		const open = (this.inFlight.get(template) ?? 0) + 1;
		this.inFlight.set(template, open);
		this.counts.maxInFlight[template] = Math.max(open, this.counts.maxInFlight[template] ?? 0);
		this.emit('change');
		return (status) => this.#close(entry, template, status);
	}

	/**
	 * @param {LoggedRequest} entry
	 * @param {string} template
	 * @param {'token' | 'data'} kind
	 */
	#count(entry, template, kind) {
		const client = entry.clientId ?? '';
		if (kind === 'token') {
			increment(this.counts.tokenRequests, client);
			return;
		}
		this.counts.dataRequests++;
		increment((this.counts.data[template] ??= {}), client);
	}

	/**
	 * @param {LoggedRequest} entry
	 * @param {string} template
	 * @param {number} status
	 */
	#close(entry, template, status) {
		if (entry.status !== null) return;
		entry.status = status;
		const open = (this.inFlight.get(template) ?? 1) - 1;
		if (open === 0) this.inFlight.delete(template);
		else this.inFlight.set(template, open);
		this.emit('change');
	}

	/** @param {string} clientId */
	tokenIssued(clientId) {
		increment(this.counts.tokens, clientId);
	}

	/**
	 * @param {string} product
	 * @param {number} listingId
	 */
	creditSpent(product, listingId) {
		this.counts.credits++;
		increment((this.counts.creditsBy[product] ??= {}), String(listingId));
	}

	/**
	 * A request is seen twice: when it arrives (status null) and when it is answered. One that is logged
	 * already counts; `reset` first to wait for a new one.
	 *
	 * @param {(request: LoggedRequest) => boolean} predicate
	 * @param {WaitOptions} [options]
	 * @returns {Promise<LoggedRequest>}
	 */
	waitForRequest(predicate, options) {
		return this.#waitUntil(() => this.requests.find(predicate), 'request', options);
	}

	/**
	 * @param {(counts: Counts) => number | undefined} select
	 * @param {number} atLeast
	 * @param {WaitOptions} [options]
	 * @returns {Promise<number>} the count that was reached
	 */
	waitForCount(select, atLeast, options) {
		const reached = () => {
			const count = select(this.counts) ?? 0;
			return count >= atLeast ? count : undefined;
		};
		return this.#waitUntil(reached, `count of ${atLeast}`, options);
	}

	/**
	 * @template T
	 * @param {() => T | undefined} check
	 * @param {string} what
	 * @param {WaitOptions} [options]
	 * @returns {Promise<T>}
	 */
	#waitUntil(check, what, { timeoutMs = 5000 } = {}) {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				this.off('change', look);
				reject(new Error(`no ${what} within ${timeoutMs} ms; last: ${this.#lastRequests()}`));
			}, timeoutMs);
			const look = () => {
				const found = check();
				if (found === undefined) return;
				clearTimeout(timer);
				this.off('change', look);
				resolve(found);
			};
			this.on('change', look);
			look();
		});
	}

	#lastRequests() {
		const last = this.requests.slice(-5).map(({ method, path, status }) => {
			return `${method} ${path} ${status ?? 'open'}`;
		});
		return last.length === 0 ? 'none' : last.join(', ');
	}
}

module.exports = { Journal };
