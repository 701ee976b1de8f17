import { setTimeout as pause } from 'node:timers/promises';

import uniq from 'lodash/uniq';

import { answerProblems, tokenAnswerProblems } from '../conformance/problems';
import type { Api } from '../conformance/schemas';
import { APIS } from '../conformance/schemas';
import type { WireAnswer, WireRequest } from './http';
import { call, exchange } from './http';
import { inventoryToken, leadsToken, productsToken } from './tokens';
import { isRecord, jsonIn } from '../values';
import { QUESTIONS } from './questions';

export type Environment = Record<string, string | undefined>;

const TRIES = 3;
const LONGEST_WAIT_MS = 120_000;
const BETWEEN_MS = 300;

/** What each API takes; every name begins with AGENT_ and the API. */
const VARIABLES: Record<Api, string> = {
	leads:
		'AUTH_URL, URL, CLIENT_ID, CLIENT_SECRET; AUDIENCE if it is not the URL; FILTER such as branch-id=11',
	inventory: 'TOKEN_URL, URL, AGENCY_REF, CLIENT_ID, CLIENT_SECRET',
	products: 'AUTH_URL, URL, CLIENT_ID, CLIENT_SECRET; SCOPE if it is not api/api_access',
};

export function help(): string {
	const rows = APIS.map((api) => `  AGENT_${api.toUpperCase()}_  ${VARIABLES[api]}`);
	return `npm run check:service reads from a real environment and says, question by question, whether the service answers
as test/lab/contract has it. It changes nothing, orders nothing, and prints no value of these environment variables:

${rows.join('\n')}

An API without variables is not tried. If the operator sent the secret encrypted, decrypt it first, as with gpg --decrypt.
Exit code: 0 as expected; 1 something differs; 2 something could not be tried.`;
}

/**
 * Asks each API that has variables, one question after another.
 *
 * @param write takes each line
 * @returns the exit code
 */
export async function checkService(
	environment: Environment,
	write: (line: string) => void,
): Promise<0 | 1 | 2> {
	const verdicts = new Set<string>();
	for (const api of APIS) {
		const prefix = `AGENT_${api.toUpperCase()}_`;
		if (!Object.keys(environment).some((name) => name.startsWith(prefix))) continue;
		const get = (name: string) => environment[prefix + name] ?? '';
		for await (const [what, problems] of answersOf(api, get)) {
			const verdict =
				problems === undefined ? 'not tried' : problems.length > 0 ? 'differs' : 'as expected';
			verdicts.add(verdict);
			write(`${verdict.padEnd(12)} ${api}: ${[what, ...uniq(problems)].join(': ')}`);
		}
	}
	if (verdicts.size === 0) write(help());
	if (verdicts.size === 0 || verdicts.has('not tried')) return 2;
	return verdicts.has('differs') ? 1 : 0;
}

/** @returns each question, and places, types and names that differ; never a value, which may be somebody's */
async function* answersOf(
	api: Api,
	get: (name: string) => string,
): AsyncGenerator<[what: string, problems?: string[]]> {
	const pair = { clientId: get('CLIENT_ID'), clientSecret: get('CLIENT_SECRET') };
	const token = await patiently(
		{
			leads: leadsToken(get('AUTH_URL'), pair, get('AUDIENCE') || get('URL')),
			inventory: inventoryToken(get('TOKEN_URL'), pair),
			products: productsToken(get('AUTH_URL'), pair, get('SCOPE') || undefined),
		}[api],
	);
	const body = jsonIn(token?.body ?? '');
	if (!token || token.status !== 200 || !isRecord(body)) {
		yield [`no token: ${token?.status ?? 'no answer'}. It needs ${VARIABLES[api]}`];
		return;
	}
	yield ['token', tokenAnswerProblems(token)];
	const access = { token: String(body.access_token), agencyRef: get('AGENCY_REF') };
	const door = { baseUrl: get('URL'), ...access };
	const questions = QUESTIONS[api](Object.fromEntries(new URLSearchParams(get('FILTER'))));
	for (let next = questions.next(); next.done !== true;) {
		const [operationId, values = {}, statuses = [200], changes = {}] = next.value;
		const request = call({ ...door, ...changes }, operationId, values);
		const answer = await patiently(request);
		const path = request.url.slice(get('URL').replace(/\/+$/, '').length).replace(/\?.*$/, '');
		const status = `status ${answer?.status ?? 'none'}, not ${statuses.join(' or ')}`;
		const problems =
			answer && statuses.includes(answer.status)
				? answerProblems(api, { method: request.method, path }, answer, 'open')
				: [status];
		const names = Object.keys(values).join(', ');
		yield [`${operationId}(${names})`, problems.map((each) => each.replace(/\/\d+/g, '/…'))];
		next = questions.next(answer && jsonIn(answer.body));
	}
}

/** What is busy, fails or is cut off is asked again. @returns undefined: there was no answer */
async function patiently(request: WireRequest): Promise<WireAnswer | undefined> {
	for (let attempt = 1; ; attempt++) {
		await pause(BETWEEN_MS);
		const answer = await exchange(request).catch(() => undefined);
		const isFailed = answer === undefined || answer.status === 429 || answer.status >= 500;
		if (!isFailed || attempt >= TRIES) return answer;
		const seconds = Number(answer?.headers['retry-after']) || 3;
		await pause(Math.min(seconds * 1_000, LONGEST_WAIT_MS));
	}
}
