import type { Answer, Request } from './exchange';
import { answerProblems, requestProblems } from './problems';
import type { Api, Mode } from './schemas';
import { tokenAnswerProblems, tokenProblems } from './tokenProblems';

/** A request and the sandbox's answer, before a fault changes it. */
interface Exchanged {
	api: Api;
	kind: 'token' | 'data';
	/** Its path below the base address of the API. */
	request: Request;
	answer: Answer;
	/** Whether the test asked for an answer that breaks the contract. */
	isAnswerOdd?: boolean;
	/** How the answer is judged, where not as the sandbox's others are. */
	mode?: Mode;
}

const MOST_TOLD = 20;

/** Checks every exchange of a sandbox, and remembers what breaks the contract. */
export class ContractWitness {
	private readonly problems = new Set<string>();
	private readonly overlooked: RegExp[] = [];

	/**
	 * @param mode how the answers are judged; our requests are always judged strictly
	 * @param names of the query parameters that a test has renamed, with those of the contract
	 */
	constructor(
		private readonly mode: Mode,
		private readonly names: Map<string, string>,
	) {}

	/** For a test that sends something wrong on purpose, which the sandbox takes. */
	overlook(problem: RegExp): void {
		this.overlooked.push(problem);
	}

	see(exchanged: Exchanged): void {
		const { request, answer } = exchanged;
		const place = `${request.method} ${exchanged.kind === 'token' ? 'token' : request.path} → ${answer.status}`;
		for (const problem of this.problemsOf(exchanged)) {
			if (this.overlooked.some((pattern) => pattern.test(problem))) continue;
			this.problems.add(`${exchanged.api}: ${place}: ${problem.replace(/\/\d+(?=\/| )/g, '/…')}`);
		}
	}

	/** @throws Error that names what broke the contract */
	testify(): void {
		if (this.problems.size === 0) return;
		const told = [...this.problems].slice(0, MOST_TOLD).map((problem) => `- ${problem}`);
		this.problems.clear();
		throw new Error(`What the sandbox saw breaks test/lab/contract:\n${told.join('\n')}`);
	}

	/** A request is judged only if the sandbox took it: one that was refused was wrong on purpose. */
	private problemsOf(exchanged: Exchanged): string[] {
		const { api, kind, request, answer, isAnswerOdd } = exchanged;
		const isTaken = answer.status < 400;
		const asked = { ...request, query: [...request.query].map((pair) => this.renamed(pair)) };
		const requested = kind === 'token' ? tokenProblems(api, asked) : requestProblems(api, asked);
		return [
			...(isTaken ? requested.map((problem) => `request: ${problem}`) : []),
			...(isAnswerOdd ? [] : this.answered({ ...exchanged, request: asked })),
		];
	}

	private renamed([name, value]: [string, string]): [string, string] {
		return [this.names.get(name) ?? name, value];
	}

	private answered({ api, kind, request, answer, mode = this.mode }: Exchanged): string[] {
		if (kind === 'data') {
			return answerProblems(api, request, answer, mode).map((each) => `answer: ${each}`);
		}
		if (request.method !== 'POST') return [];
		return tokenAnswerProblems(answer).map((each) => `answer: ${each}`);
	}
}
