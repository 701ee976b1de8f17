// @ts-check
const { STATUS_CODES } = require('node:http');
const { htmlPage, json } = require('./http');
const { createRandom } = require('./random');

/** @typedef {import('./types').Answer} Answer */

/**
 * When to fail. All that match are looked at in the order in which they were added; delays add up, and
 * the first rule of another kind that fires is the fault.
 *
 * @typedef {object} FaultTarget
 * @property {string} [method]
 * @property {string | RegExp} [path] a string is the whole pathname, or its end from a slash on
 * @property {string} [clientId]
 * @property {number} [times] how often it fires; default 1, may be Infinity
 * @property {number} [after] how many matching requests pass first
 * @property {number} [probability] 0 to 1, drawn from the sandbox's seed
 * @property {'before' | 'after'} [when] before the work is done (default), or after it was done
 */

/**
 * - `status`: that status; `body` is the API's own error shape unless said otherwise.
 *   `retryAfter` is a number of seconds, a string as it is, or `{ dateInMs }`: a date so far from now.
 * - `html`: a proxy's page, with 200 unless said otherwise.
 * - `reset`: the connection is reset. `hang`: nothing is answered until the sandbox stops.
 * - `truncate`: the declared length, half of the body, then the connection ends.
 * - `cutJson`: a complete answer whose JSON stops in the middle.
 * - `latency`: the usual answer, `ms` late.
 *
 * `truncate` and `cutJson` need the usual answer, so the work is always done.
 *
 * @typedef {{ kind: 'status', status: number, body?: 'api' | 'empty' | 'html' | 'json',
 *     retryAfter?: number | string | { dateInMs: number } }
 *   | { kind: 'html', status?: number }
 *   | { kind: 'reset' | 'hang' | 'truncate' | 'cutJson' }
 *   | { kind: 'latency', ms: number }} FaultKind
 */

/** @typedef {FaultTarget & FaultKind} FaultRule */

/**
 * @typedef {object} Plan
 * @property {number} delayBefore milliseconds
 * @property {number} delayAfter milliseconds
 * @property {FaultRule} [fault]
 */

/** @typedef {{ method: string, path: string, clientId: string | null }} Target */

/** A rule and how often it has met its requests. */
class ArmedRule {
	/**
	 * @param {FaultRule} rule
	 * @param {import('./random').Random} random
	 */
	constructor(rule, random) {
		this.rule = rule;
		this.random = random;
		this.seen = 0;
		this.fired = 0;
	}

	/** @param {Target} target */
	matches({ method, path, clientId }) {
		const { rule } = this;
		return (
			(rule.method === undefined || rule.method.toUpperCase() === method) &&
			(rule.path === undefined || matchesPath(rule.path, path)) &&
			(rule.clientId === undefined || rule.clientId === clientId)
		);
	}

	/** @returns {boolean} whether it fires now */
	fire() {
		const { after = 0, times = 1, probability = 1 } = this.rule;
		if (this.seen <= after || this.fired >= times) return false;
		if (probability < 1 && this.random() >= probability) return false;
		this.fired++;
		return true;
	}
}

/** The faults that are armed. */
class Faults {
	/** @param {number} seed */
	constructor(seed) {
		this.seed = seed;
		this.added = 0;
		/** @type {ArmedRule[]} */
		this.rules = [];
	}

	/**
	 * @param {FaultRule} rule
	 * @returns {{ remove: () => void }}
	 */
	add(rule) {
		const armed = new ArmedRule(rule, createRandom(this.seed * 1009 + this.added++));
		this.rules.push(armed);
		return {
			remove: () => {
				this.rules = this.rules.filter((other) => other !== armed);
			},
		};
	}

	clear() {
		this.rules = [];
	}

	/**
	 * @param {Target} target
	 * @returns {Plan}
	 */
	plan(target) {
		/** @type {Plan} */
		const plan = { delayBefore: 0, delayAfter: 0 };
		for (const armed of this.rules.filter((each) => each.matches(target))) {
			armed.seen++;
			include(plan, armed);
		}
		return plan;
	}
}

/**
 * @param {Plan} plan
 * @param {ArmedRule} armed
 */
function include(plan, armed) {
	const { rule } = armed;
	if (rule.kind === 'latency') {
		if (!armed.fire()) return;
		if (rule.when === 'after') plan.delayAfter += rule.ms;
		else plan.delayBefore += rule.ms;
		return;
	}
	if (plan.fault === undefined && armed.fire()) plan.fault = rule;
}

/**
 * @param {string | RegExp} wanted
 * @param {string} path
 */
function matchesPath(wanted, path) {
	if (typeof wanted !== 'string') {
		// A global or sticky expression would remember where it stopped.
		wanted.lastIndex = 0;
		return wanted.test(path);
	}
	return path === wanted || (wanted.startsWith('/') && path.endsWith(wanted));
}

/** @param {FaultRule | undefined} fault */
function replacesWork(fault) {
	if (fault === undefined || fault.when === 'after') return false;
	return fault.kind !== 'truncate' && fault.kind !== 'cutJson';
}

/**
 * @param {FaultRule} fault of the kind `status` or `html`
 * @param {(status: number, message: string) => Answer} refuse the API's own shape
 * @param {number} now epoch milliseconds
 * @returns {Answer | undefined}
 */
function faultAnswer(fault, refuse, now) {
	if (fault.kind === 'html') return htmlPage(fault.status ?? 200, 'Service');
	if (fault.kind !== 'status') return undefined;
	const answer = statusAnswer(fault.status, fault.body ?? 'api', refuse);
	if (fault.retryAfter === undefined) return answer;
	const headers = { ...answer.headers, 'Retry-After': retryAfterValue(fault.retryAfter, now) };
	return { ...answer, headers };
}

/**
 * @param {number} status
 * @param {'api' | 'empty' | 'html' | 'json'} body
 * @param {(status: number, message: string) => Answer} refuse
 * @returns {Answer}
 */
function statusAnswer(status, body, refuse) {
	const message = STATUS_CODES[status] ?? 'Error';
	switch (body) {
		case 'api':
			return refuse(status, message);
		case 'empty':
			return { status, body: '' };
		case 'html':
			return htmlPage(status, `${status} ${message}`);
		case 'json':
			return json(status, { message });
	}
}

/**
 * @param {number | string | { dateInMs: number }} retryAfter
 * @param {number} now epoch milliseconds
 * @returns {string}
 */
function retryAfterValue(retryAfter, now) {
	if (typeof retryAfter !== 'object') return String(retryAfter);
	// Rounded up: a date has whole seconds, and an earlier one would promise too much.
	return new Date(Math.ceil((now + retryAfter.dateInMs) / 1000) * 1000).toUTCString();
}

module.exports = { Faults, replacesWork, faultAnswer };
