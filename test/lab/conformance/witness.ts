import type { Answer, Request } from './problems';
import { answerProblems, tokenAnswerProblems } from './problems';
import type { Api, Mode } from './schemas';

const MOST_NAMED = 20;

/** Checks every answer of a sandbox, and remembers what breaks the contract. */
export class ContractWitness {
	private readonly problems = new Set<string>();

	constructor(private readonly mode: Mode) {}

	/**
	 * @param request its path is below the base address of the API
	 * @param mode how the answer is judged, where not as the sandbox's others are
	 */
	see(
		api: Api,
		kind: 'token' | 'data',
		{ method, path }: Pick<Request, 'method' | 'path'>,
		answer: Answer,
		mode = this.mode,
	): void {
		const found =
			kind === 'token'
				? tokenAnswerProblems(answer)
				: answerProblems(api, { method, path }, answer, mode);
		for (const problem of found) {
			const place = `${api}: ${method} ${kind === 'token' ? 'token' : path} → ${answer.status}`;
			this.problems.add(`${place}: ${problem.replace(/\/\d+(?=\/| )/g, '/…')}`);
		}
	}

	/** @throws Error that names what broke the contract */
	testify(): void {
		if (this.problems.size === 0) return;
		const named = [...this.problems].slice(0, MOST_NAMED).map((problem) => `- ${problem}`);
		this.problems.clear();
		throw new Error(`What the sandbox answered breaks test/lab/contract:\n${named.join('\n')}`);
	}
}
