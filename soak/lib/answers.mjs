// @ts-check
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';

/**
 * @typedef {import('../../test/lab/sandbox/index.js').Sandbox} Sandbox
 * @typedef {object} Answer an answer to a request for leads
 * @property {string | null} branch that it was asked for; null: all leads
 * @property {string[]} ids of the leads in it; none if a fault took the place of the work
 * @property {number} sentAt when the service had sent it to its end, in epoch milliseconds
 * @property {boolean} isWhole whether no fault spoilt it
 */

/** Which answer of the sandbox held which leads, and whether it went out whole. */
export class AnswerLog extends EventEmitter {
	/** @param {Sandbox} sandbox */
	constructor(sandbox) {
		super();
		/** @type {Answer[]} whole ones only, oldest first */
		this.whole = [];
		/** What has been in a whole answer to either kind of request. */
		this.answered = { all: new Set(), byBranch: new Set() };
		/** @type {AsyncLocalStorage<Answer>} */
		this.current = new AsyncLocalStorage();
		this.#watch(sandbox);
	}

	/** @param {Sandbox} sandbox */
	#watch({ exchange, faults, leads }) {
		const handle = exchange.handle.bind(exchange);
		exchange.handle = (call, response) => {
			if (!/-leads$/.test(call.path)) return handle(call, response);
			/** @type {Answer} */
			const answer = { branch: call.query.get('branch-id'), ids: [], sentAt: NaN, isWhole: true };
			response.once('finish', () => this.#sent(answer));
			return this.current.run(answer, () => handle(call, response));
		};

		const plan = faults.plan.bind(faults);
		faults.plan = (target) => {
			const planned = plan(target);
			const answer = this.current.getStore();
			if (answer && planned.fault) answer.isWhole = false;
			return planned;
		};

		const between = leads.between.bind(leads);
		leads.between = (kind, from, to) => {
			const found = between(kind, from, to);
			const answer = this.current.getStore();
			if (answer) answer.ids.push(...found.filter(isIn(answer)).map(({ text }) => idOf(text)));
			return found;
		};
	}

	/** @param {Answer} answer */
	#sent(answer) {
		if (!answer.isWhole) return;
		answer.sentAt = Date.now();
		this.whole.push(answer);
		const answered = answer.branch === null ? this.answered.all : this.answered.byBranch;
		const isNews = answer.ids.some((id) => !answered.has(id));
		for (const id of answer.ids) answered.add(id);
		if (isNews) this.emit('news');
	}

	/**
	 * The first answer that brought a lead to n8n.
	 *
	 * @param {string} id
	 * @param {boolean} byBranch whether to one that asks for branches, or to one that asks for all leads
	 */
	first(id, byBranch) {
		return this.whole.find(({ ids, branch }) => byBranch === (branch !== null) && ids.includes(id));
	}
}

/**
 * @param {Answer} answer
 * @returns {(lead: import('../../test/lab/sandbox/leads.js').StoredLead) => boolean}
 */
function isIn({ branch }) {
	return ({ owner }) => branch === null || owner.branchId === branch;
}

/** @param {string} text a lead as JSON */
function idOf(text) {
	return String(JSON.parse(text).id);
}
