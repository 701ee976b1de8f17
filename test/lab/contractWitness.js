// @ts-check
const {
	answerProblems,
	requestProblems,
	tokenAnswerProblems,
	tokenProblems,
} = require('./conformance');

/** @typedef {import('./conformance').Answer} Answer */
/** @typedef {import('./conformance').Request} Request */
/** @typedef {import('./conformanceSchemas').Api} Api */
/** @typedef {import('./conformanceSchemas').Mode} Mode */

/**
 * One exchange as the sandbox had it, before any fault.
 *
 * @typedef {object} Exchanged
 * @property {Api} api
 * @property {'token' | 'data'} kind
 * @property {Request} request its path below the base address of the API
 * @property {Answer} answer
 * @property {boolean} [isAnswerOdd] whether the test asked for an answer that breaks the contract
 */

const MOST_TOLD = 20;

/** Looks at every exchange of a sandbox, and remembers what breaks the contract. */
class ContractWitness {
	/**
	 * @param {Mode} mode how the answers are judged; our requests are always judged strictly
	 * @param {Map<string, string>} names of the query parameters that a test has renamed, with those of the contract
	 */
	constructor(mode, names) {
		this.mode = mode;
		this.names = names;
		/** @type {Set<string>} */
		this.problems = new Set();
		/** @type {RegExp[]} */
		this.overlooked = [];
	}

	/**
	 * A test sends something wrong on purpose, and the sandbox takes it.
	 *
	 * @param {RegExp} problem
	 */
	overlook(problem) {
		this.overlooked.push(problem);
	}

	/** @param {Exchanged} exchanged */
	see(exchanged) {
		const { request, answer } = exchanged;
		const place = `${request.method} ${exchanged.kind === 'token' ? 'token' : request.path} → ${answer.status}`;
		for (const problem of this.#problemsOf(exchanged)) {
			if (this.overlooked.some((pattern) => pattern.test(problem))) continue;
			this.problems.add(`${exchanged.api}: ${place}: ${problem.replace(/\/\d+(?=\/| )/g, '/…')}`);
		}
	}

	/** @throws Error that names what broke the contract */
	testify() {
		if (this.problems.size === 0) return;
		const told = [...this.problems].slice(0, MOST_TOLD).map((problem) => `- ${problem}`);
		this.problems.clear();
		throw new Error(`What the sandbox saw breaks test/lab/contract:\n${told.join('\n')}`);
	}

	/**
	 * What is refused was wrong on purpose: a request is judged only if the sandbox took it.
	 *
	 * @param {Exchanged} exchanged
	 * @returns {string[]}
	 */
	#problemsOf({ api, kind, request, answer, isAnswerOdd }) {
		const isTaken = answer.status < 400;
		const asked = { ...request, query: [...request.query].map((pair) => this.#renamed(pair)) };
		const requested = kind === 'token' ? tokenProblems(api, asked) : requestProblems(api, asked);
		return [
			...(isTaken ? requested.map((problem) => `request: ${problem}`) : []),
			...(isAnswerOdd ? [] : this.#answered(api, kind, asked, answer)),
		];
	}

	/**
	 * @param {[string, string]} pair
	 * @returns {[string, string]}
	 */
	#renamed([name, value]) {
		return [this.names.get(name) ?? name, value];
	}

	/**
	 * @param {Api} api
	 * @param {'token' | 'data'} kind
	 * @param {Request} request
	 * @param {Answer} answer
	 * @returns {string[]}
	 */
	#answered(api, kind, request, answer) {
		if (kind === 'data') {
			return answerProblems(api, request, answer, this.mode).map((each) => `answer: ${each}`);
		}
		if (request.method !== 'POST') return [];
		return tokenAnswerProblems(answer).map((each) => `answer: ${each}`);
	}
}

module.exports = { ContractWitness };
