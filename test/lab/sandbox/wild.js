// @ts-check
const { isRecord } = require('./http');
const { chance, createRandom, integer, shuffled } = require('./random');
const { ALLOWED, MISBEHAVING } = require('./wildAnswers');
const { bodySchema } = require('./wildContract');
const { VALUE_WILDNESS } = require('./wildValues');

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./random').Random} Random */
/** @typedef {import('./wildReply').Reply} Reply */
/** @typedef {import('./wildReply').Situation} Situation */
/** @typedef {import('./wildReply').Strength} Strength */
/** @typedef {import('./wildReply').Wildness} Wildness */

/**
 * By chance: any request may meet any wildness.
 *
 * @typedef {object} WildSettings
 * @property {number} [seed] default 1: the same seed and the same requests bring the same wildness
 * @property {Strength} [strength] default misbehaving, which holds what is allowed too
 * @property {number} [rate] default 0.3: the share of the requests that meet some
 * @property {string[]} [only] names; default: all of the strength
 * @property {string[]} [without] names
 * @property {number} [dripMs] default 0: the pause between two drops of a body, in milliseconds
 */

/**
 * By plan: this wildness, for the first requests that it fits.
 *
 * @typedef {object} WildStep
 * @property {string} name
 * @property {number} seed
 * @property {'token' | 'data'} [on] default: both
 * @property {number} [after] how many requests pass first; default 0
 * @property {number} [times] how often it happens; default 1
 */

/**
 * What the client was told, as far as a right one can know it.
 *
 * @typedef {object} Told
 * @property {'token' | 'data'} kind
 * @property {string | null} clientId
 * @property {string} method
 * @property {string} path
 * @property {string} search the query
 * @property {string | null} agencyRef
 * @property {string[]} wildness
 * @property {number} status 0: the connection ended without an answer
 * @property {boolean} isDone whether the work was done
 * @property {boolean} isReadable whether an answer arrived from which a right client can take the value
 * @property {boolean} isWhole whether the answer arrived as the service meant it, be it a refusal
 * @property {boolean} isDoubtful whether a right client may refuse it as well
 * @property {unknown} value
 */

/** @type {Wildness[]} */
const CATALOGUE = [...VALUE_WILDNESS, ...ALLOWED, ...MISBEHAVING];
const KEPT_TOLD = 5_000;

/** A plan's step, and how often it has met its requests. */
class ArmedStep {
	/** @param {WildStep} step */
	constructor(step) {
		this.step = step;
		this.wildness = named(step.name);
		this.seen = 0;
		this.fired = 0;
	}

	/** @param {'token' | 'data'} kind */
	see(kind) {
		if (this.step.on === undefined || this.step.on === kind) this.seen++;
	}

	/**
	 * @param {Reply} reply
	 * @param {Situation} situation
	 * @returns {Reply | undefined}
	 */
	apply(reply, situation) {
		const { seed, on, after = 0, times = 1 } = this.step;
		const kind = kindOf(situation);
		if (on !== undefined && on !== kind) return undefined;
		if (this.seen <= after || this.fired >= times) return undefined;
		const random = createRandom(Math.imul(seed, 0x9e3779b1) + this.fired);
		const changed = this.wildness.apply(reply, { ...situation, random });
		if (changed !== undefined) this.fired++;
		return changed;
	}
}

/** How the service answers while it is wild. It stays strict in what it refuses. */
class Wild {
	/** @param {Situation['service']} service */
	constructor(service) {
		this.service = service;
		/** @type {WildSettings | undefined} */
		this.settings = undefined;
		/** @type {ArmedStep[]} */
		this.steps = [];
		this.isPlanned = false;
		this.requests = 0;
		this.dripMs = 0;
		/** @type {Told[]} */
		this.told = [];
		/** @type {Record<string, number>} how often each has happened since the sandbox began */
		this.counts = {};
	}

	/** @returns {{ name: string, strength: Strength }[]} */
	static catalogue() {
		return CATALOGUE.map(({ name, strength }) => ({ name, strength }));
	}

	/** @param {WildSettings} settings */
	start(settings = {}) {
		for (const name of [...(settings.only ?? []), ...(settings.without ?? [])]) named(name);
		this.stop();
		this.settings = settings;
		this.dripMs = settings.dripMs ?? 0;
	}

	/** @param {WildStep[]} steps none: the ledger is kept all the same */
	plan(steps) {
		this.stop();
		this.steps = steps.map((step) => new ArmedStep(step));
		this.isPlanned = true;
	}

	/** Tame again; what was told is forgotten. */
	stop() {
		this.settings = undefined;
		this.steps = [];
		this.isPlanned = false;
		this.requests = 0;
		this.told = [];
	}

	get isOn() {
		return this.settings !== undefined || this.isPlanned;
	}

	/** What it does, and what of it has happened. */
	status() {
		const { isOn, settings, counts } = this;
		return { isOn, settings, counts, catalogue: Wild.catalogue() };
	}

	/**
	 * @param {Omit<Situation, 'random' | 'service'>} request
	 * @returns {Course} of one request
	 */
	course(request) {
		const random = createRandom(Math.imul(this.settings?.seed ?? 1, 0x85ebca6b) + this.requests++);
		return new Course(this, { ...request, random, service: this.service });
	}

	/** @param {Told} told */
	note(told) {
		this.told.push(told);
		if (this.told.length > KEPT_TOLD) this.told.shift();
		for (const name of told.wildness) this.counts[name] = (this.counts[name] ?? 0) + 1;
	}
}

/** The way of one answer through the wildness. */
class Course {
	/**
	 * @param {Wild} wild
	 * @param {Situation} situation
	 */
	constructor(wild, situation) {
		this.wild = wild;
		this.situation = situation;
		/** @type {Wildness[]} */
		this.met = [];
		for (const step of wild.steps) step.see(kindOf(situation));
		const { settings } = wild;
		this.isHit = settings !== undefined && chance(situation.random, settings.rate ?? 0.3);
	}

	/** @returns {Reply | undefined} what the service says instead of doing the work */
	before() {
		const { random } = this.situation;
		if (this.isHit && !chance(random, 0.2)) return this.#through(plain(), this.#planned(true), 1);
		return this.#through(plain(), [...this.#planned(true), ...this.#drawn(true)], 1);
	}

	/**
	 * @param {Answer} answer the tame one
	 * @returns {Reply}
	 */
	after(answer) {
		const reply = read(answer);
		const { integration, method, path } = this.situation;
		if (integration !== 'token') {
			this.situation.schema = bodySchema(integration, method, path, reply.status);
		}
		const most = this.isHit ? integer(this.situation.random, 1, 3) : Infinity;
		return this.#through(reply, [...this.#planned(false), ...this.#drawn(false)], most) ?? reply;
	}

	/**
	 * @param {Reply} reply as it is sent
	 * @param {Answer} [answer] the tame one, if the work was done
	 */
	close(reply, answer) {
		const { call, method, clientId } = this.situation;
		const agencyRef = call.headers.agencyref;
		const isSuccess = answer !== undefined && answer.status < 400;
		const isWhole = answer !== undefined && !this.met.some(({ breaks }) => breaks);
		const isReadable = isSuccess && isWhole;
		this.wild.note({
			kind: kindOf(this.situation),
			clientId,
			method,
			path: call.path,
			search: call.search,
			agencyRef: typeof agencyRef === 'string' ? agencyRef : null,
			wildness: this.met.map(({ name }) => name),
			status: reply.wire === 'reset' ? 0 : reply.status,
			isDone: answer !== undefined,
			isReadable,
			isWhole,
			isDoubtful: this.met.some(({ isDoubtful }) => isDoubtful),
			value: isReadable ? reply.value : undefined,
		});
	}

	/**
	 * @param {Reply} reply
	 * @param {Array<Pick<Wildness, 'apply'> & { wildness: Wildness }>} ways
	 * @param {number} most
	 * @returns {Reply | undefined} undefined: none fits
	 */
	#through(reply, ways, most) {
		/** @type {Reply | undefined} */
		let changed;
		let applied = 0;
		for (const { apply, wildness } of ways) {
			// What cannot be read stays so: nothing may make an answer of it again.
			if (applied >= most || this.met.some(({ breaks }) => breaks)) break;
			const next = apply(changed ?? reply, this.situation);
			if (next === undefined) continue;
			changed = next;
			applied++;
			this.met.push(wildness);
		}
		return changed;
	}

	/** @param {boolean} isBefore */
	#planned(isBefore) {
		return this.wild.steps
			.filter(({ wildness }) => (wildness.isBefore ?? false) === isBefore)
			.map((step) => ({
				wildness: step.wildness,
				apply: (/** @type {Reply} */ reply, /** @type {Situation} */ situation) =>
					step.apply(reply, situation),
			}));
	}

	/** @param {boolean} isBefore */
	#drawn(isBefore) {
		const { settings } = this.wild;
		if (!this.isHit || settings === undefined) return [];
		const { only, without = [], strength = 'misbehaving' } = settings;
		const eligible = CATALOGUE.filter(
			(each) =>
				(each.isBefore ?? false) === isBefore &&
				(strength === 'misbehaving' || each.strength === 'allowed') &&
				(only === undefined || only.includes(each.name)) &&
				!without.includes(each.name),
		);
		return shuffled(this.situation.random, eligible).map((wildness) => ({
			wildness,
			apply: wildness.apply,
		}));
	}
}

/** @param {Situation} situation */
function kindOf({ integration }) {
	return integration === 'token' ? 'token' : 'data';
}

/**
 * @param {string} name
 * @returns {Wildness}
 */
function named(name) {
	const wildness = CATALOGUE.find((each) => each.name === name);
	if (wildness === undefined) throw new Error(`no wildness is called ${name}`);
	return wildness;
}

/** @returns {Reply} */
function plain() {
	return { status: 200, headers: {}, value: undefined, wire: 'whole', dateOffset: 0 };
}

/**
 * @param {Answer} answer
 * @returns {Reply}
 */
function read({ status, headers = {}, body }) {
	const text = typeof body === 'string' ? body : Array.from(body).join('');
	const value = jsonIn(text);
	return { ...plain(), status, headers, ...(value === undefined ? { text } : { value }) };
}

/**
 * @param {string} text
 * @returns {unknown}
 */
function jsonIn(text) {
	try {
		/** @type {unknown} */
		const value = JSON.parse(text);
		return isRecord(value) || Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

module.exports = { Wild, Course };
