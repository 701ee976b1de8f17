// @ts-check
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');
const { faultAnswer, replacesWork } = require('./faults');
const { Refusal, bodyText, send, writeHead } = require('./http');
const { bodyOf } = require('./wildAnswers');

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Area} Area */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./faults').FaultRule} FaultRule */
/** @typedef {import('./wild').Course} Course */
/** @typedef {import('./wildReply').Reply} Reply */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

/**
 * @typedef {object} Handling one request on its way
 * @property {Call} call
 * @property {Area} area
 * @property {ServerResponse} response
 * @property {(status: number) => void} close tells the journal the status
 */

const DROPS = 7;

/** The way of a request: read, logged, perhaps failed, worked on, answered. */
class Exchange {
	/**
	 * @param {object} service
	 * @param {Area[]} service.areas the first whose base fits takes the request
	 * @param {import('./faults').Faults} service.faults
	 * @param {import('./journal').Journal} service.journal
	 * @param {import('./clock').Clock} service.clock
	 * @param {import('./wild').Wild} service.wild
	 * @param {import('../contractWitness').ContractWitness} [service.witness] sees what is done, before any fault
	 */
	constructor(service) {
		this.service = service;
	}

	/**
	 * @param {Call} call
	 * @param {ServerResponse} response
	 */
	async handle(call, response) {
		const area = this.service.areas.find(({ base }) => call.path.startsWith(base));
		if (area === undefined) throw new Error('no area takes the rest');
		const { clientId, tokenIndex } = area.identify(call);
		const entry = this.#entry(call, area, clientId, tokenIndex);
		const template = area.template(call.path) ?? `${area.base}*`;
		const close = this.service.journal.open(entry, template, area.counts);
		response.on('close', () => close(0));

		const plan = this.service.faults.plan({ method: call.method, path: call.path, clientId });
		const handling = { call, area, response, close };
		await pause(plan.delayBefore);
		const course = plan.fault === undefined ? this.#course(handling, clientId) : undefined;
		if (course !== undefined) {
			await this.#goWild(handling, course, entry);
			return;
		}
		const done = replacesWork(plan.fault) ? undefined : this.#work(area, call);
		if (done?.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		await pause(plan.delayAfter);
		this.#deliver(handling, plan.fault, done);
	}

	/**
	 * @param {Handling} handling
	 * @param {string | null} clientId
	 * @returns {Course | undefined} undefined: the service is tame, or there is no such path
	 */
	#course({ call, area }, clientId) {
		const { wild } = this.service;
		const { integration, base } = area;
		const known = area.template(call.path);
		if (!wild.isOn || known === undefined || integration === undefined) return undefined;
		const path = call.path.slice(base.length - 1);
		const template = known.slice(base.length - 1);
		return wild.course({ integration, method: call.method, path, template, call, clientId });
	}

	/**
	 * @param {Handling} handling
	 * @param {Course} course
	 * @param {import('./journal').LoggedRequest} entry
	 */
	async #goWild({ call, area, response, close }, course, entry) {
		const instead = course.before();
		const done = instead === undefined ? this.#work(area, call) : undefined;
		if (done?.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		const reply = instead ?? course.after(/** @type {Answer} */ (done));
		course.close(reply, done);
		close(reply.wire === 'reset' ? 0 : reply.status);
		const now = reply.dateOffset === null ? null : this.service.clock.now() + reply.dateOffset;
		await deliverWild(response, reply, now, this.service.wild.dripMs);
	}

	/**
	 * @param {Call} call
	 * @param {Area} area
	 * @param {string | null} clientId
	 * @param {number | null} tokenIndex
	 * @returns {import('./journal').LoggedRequest}
	 */
	#entry(call, area, clientId, tokenIndex) {
		const agencyRef = call.headers.agencyref;
		return {
			at: this.service.clock.now(),
			method: call.method,
			path: call.path,
			query: area.counts === 'token' ? {} : queryOf(call),
			clientId,
			agencyRef: typeof agencyRef === 'string' ? agencyRef : null,
			status: null,
			tokenIndex,
		};
	}

	/**
	 * @param {Area} area
	 * @param {Call} call
	 * @returns {Answer}
	 */
	#work(area, call) {
		const done = work(area, call);
		const { witness } = this.service;
		const api = area.api(call);
		if (witness === undefined || api === undefined) return done;
		const answer = { ...done, headers: done.headers ?? {}, body: bodyText(done) };
		const path = call.path.slice(area.base.length - 1);
		const request = { ...call, path };
		witness.see({ api, kind: area.counts, request, answer, isAnswerOdd: done.isOdd });
		return typeof done.body === 'string' ? done : { ...done, body: [answer.body] };
	}

	/**
	 * @param {Handling} handling
	 * @param {FaultRule | undefined} fault
	 * @param {Answer | undefined} done the answer of the work, if it was done
	 */
	#deliver(handling, fault, done) {
		const { area, response, close } = handling;
		const now = this.service.clock.now();
		const replacement = fault && faultAnswer(fault, area.refuse, now);
		if (replacement !== undefined) {
			close(replacement.status);
			send(response, replacement, now);
		} else if (fault?.kind === 'reset') {
			close(0);
			response.socket?.resetAndDestroy();
		} else if (done !== undefined && fault?.kind !== 'hang') {
			close(done.status);
			deliverDone(response, fault, done, now);
		}
	}
}

/**
 * @param {ServerResponse} response
 * @param {FaultRule | undefined} fault
 * @param {Answer} done
 * @param {number} now epoch milliseconds
 */
function deliverDone(response, fault, done, now) {
	if (fault?.kind === 'truncate') truncate(response, done, now);
	else if (fault?.kind === 'cutJson') send(response, { ...done, body: half(bodyText(done)) }, now);
	else send(response, done, now);
}

/**
 * @param {ServerResponse} response
 * @param {Reply} reply
 * @param {number | null} now epoch milliseconds; null: the service does not tell the time
 * @param {number} dripMs
 */
async function deliverWild(response, reply, now, dripMs) {
	const answer = { status: reply.status, headers: reply.headers, body: bodyOf(reply) };
	if (reply.wire === 'reset') response.socket?.resetAndDestroy();
	else if (reply.wire === 'truncated') truncate(response, answer, now);
	else if (reply.wire === 'drip') await drip(response, answer, now, dripMs);
	else send(response, answer, now);
}

/**
 * @param {ServerResponse} response
 * @param {{ status: number, headers: Record<string, string>, body: string }} answer
 * @param {number | null} now epoch milliseconds
 * @param {number} ms between two drops
 */
async function drip(response, answer, now, ms) {
	const body = Buffer.from(answer.body);
	writeHead(response, answer, now, body.length);
	response.flushHeaders();
	const size = Math.max(1, Math.ceil(body.length / DROPS));
	for (let start = 0; start < body.length && !response.destroyed; start += size) {
		// In the middle of a character, as it may fall.
		response.write(body.subarray(start, start + size));
		await (ms > 0 ? sleep(ms, undefined, { ref: false }) : turn());
	}
	response.end();
}

/**
 * @param {ServerResponse} response
 * @param {Answer} answer
 * @param {number | null} now epoch milliseconds
 */
function truncate(response, answer, now) {
	const body = bodyText(answer);
	writeHead(response, answer, now, Buffer.byteLength(body));
	response.write(half(body), () => response.destroy());
}

/** @param {string} text */
function half(text) {
	return text.slice(0, Math.floor(text.length / 2));
}

/**
 * @param {Area} area
 * @param {Call} call
 * @returns {Answer}
 */
function work(area, call) {
	try {
		if (area.template(call.path) === undefined) return area.refuse(404, 'no such path');
		return area.handle(call);
	} catch (error) {
		if (error instanceof Refusal) return error.answer;
		throw error;
	}
}

/** @param {number} ms */
async function pause(ms) {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}

/**
 * @param {Call} call
 * @returns {Record<string, string[]>}
 */
function queryOf(call) {
	/** @type {Record<string, string[]>} */
	const query = {};
	for (const name of new Set(call.query.keys())) query[name] = call.query.getAll(name);
	return query;
}

module.exports = { Exchange };
