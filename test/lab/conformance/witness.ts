import type { Answer, Request } from './problems';
import { answerProblems, tokenAnswerProblems } from './problems';
import type { Api, Mode } from './schemas';

/** Checks every answer of a sandbox, and remembers what breaks the contract. */
export class ContractWitness {
	private readonly problems = new Set<string>();

	/** @param request its path is below the base address of the API; undefined: it asks for a token */
	see(
		api: Api,
		request: Pick<Request, 'method' | 'path'> | undefined,
		answer: Answer,
		mode: Mode,
	): void {
		const found = request
			? answerProblems(api, request, answer, mode)
			: tokenAnswerProblems(answer);
		const { method = 'POST', path = 'token' } = request ?? {};
		for (const problem of found) {
			const place = problem.replace(/\/\d+(?=\/| )/g, '/…');
			this.problems.add(`- ${api}: ${method} ${path} → ${answer.status}: ${place}`);
		}
	}

	/** @throws Error that names what broke the contract */
	testify(): void {
		const named = [...this.problems].slice(0, 20).join('\n');
		this.problems.clear();
		if (named) throw new Error(`The sandbox's answers break test/lab/contract:\n${named}`);
	}
}
