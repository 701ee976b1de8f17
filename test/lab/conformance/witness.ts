import type { Answer, Request } from './exchange';
import { answerProblems } from './problems';
import type { Api, Mode } from './schemas';
import { tokenAnswerProblems } from './tokenProblems';

/** A request and the sandbox's answer, before a fault changes it. */
interface Exchanged {
	api: Api;
	kind: 'token' | 'data';
	/** Its path below the base address of the API. */
	request: Request;
	answer: Answer;
	/** How the answer is judged, where not as the sandbox's others are. */
	mode?: Mode;
}

const MOST_TOLD = 20;

/** Checks every answer of a sandbox, and remembers what breaks the contract. */
export class ContractWitness {
	private readonly problems = new Set<string>();

	constructor(private readonly mode: Mode) {}

	see({ api, kind, request, answer, mode = this.mode }: Exchanged): void {
		const { method, path } = request;
		const place = `${method} ${kind === 'token' ? 'token' : path} → ${answer.status}`;
		const found =
			kind === 'token' ? tokenAnswerProblems(answer) : answerProblems(api, request, answer, mode);
		for (const problem of found) {
			this.problems.add(`${api}: ${place}: ${problem.replace(/\/\d+(?=\/| )/g, '/…')}`);
		}
	}

	/** @throws Error that names what broke the contract */
	testify(): void {
		if (this.problems.size === 0) return;
		const told = [...this.problems].slice(0, MOST_TOLD).map((problem) => `- ${problem}`);
		this.problems.clear();
		throw new Error(`What the sandbox answered breaks test/lab/contract:\n${told.join('\n')}`);
	}
}
