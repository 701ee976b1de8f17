import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

import uniq from 'lodash/uniq';

import { answerProblems, tokenAnswerProblems } from '../conformance/problems';
import type { Answer } from '../conformance/problems';
import type { Api } from '../conformance/schemas';
import { APIS } from '../conformance/schemas';
import type { WireAnswer, WireRequest } from '../reference/http';
import { exchange } from '../reference/http';
import { openSecret } from '../reference/secret';
import { inventoryToken, leadsToken, productsToken } from '../reference/tokens';
import { isRecord, jsonIn } from '../values';
import type { Question } from './questions';
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

In place of a CLIENT_SECRET: ENCRYPTED_SECRET_FILE, PRIVATE_KEY_FILE and PASSPHRASE. An API without variables is not tried.
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
	const codes: Array<0 | 1 | 2> = [];
	for (const api of APIS) {
		const prefix = `AGENT_${api.toUpperCase()}_`;
		if (!Object.keys(environment).some((name) => name.startsWith(prefix))) continue;
		const say = (verdict: string, what: string) => write(`${verdict.padEnd(12)} ${api}: ${what}`);
		const get = (name: string) => environment[prefix + name] ?? '';
		codes.push(await checkApi(api, get, say));
	}
	if (codes.length === 0) write(help());
	return codes.length === 0 || codes.includes(2) ? 2 : codes.includes(1) ? 1 : 0;
}

async function checkApi(
	api: Api,
	get: (name: string) => string,
	say: (verdict: string, what: string) => void,
): Promise<0 | 1 | 2> {
	const token = await tokenFor(api, get).catch(() => undefined);
	const body = token && jsonIn(token.text);
	if (token?.status !== 200 || !isRecord(body) || typeof body.access_token !== 'string') {
		const why = token === undefined ? 'no answer, or a file cannot be read' : `${token.status}`;
		say('not tried', `no token: ${why}. It needs ${VARIABLES[api]}`);
		return 2;
	}
	const questions = QUESTIONS[api]({
		baseUrl: get('URL'),
		token: body.access_token,
		agencyRef: get('AGENCY_REF'),
		filter: Object.fromEntries(new URLSearchParams(get('FILTER'))),
	});
	const found = tokenAnswerProblems(plain(token)).map((problem) => `token: ${problem}`);
	found.forEach((problem) => say('differs', problem));
	for (let next = questions.next(); next.done !== true;) {
		const { name, request } = next.value;
		const answer = await patiently(request);
		const problems = answer ? problemsOf(api, get('URL'), next.value, answer) : ['no answer'];
		found.push(...problems);
		say(problems.length > 0 ? 'differs' : 'as expected', [name, ...problems].join(': '));
		next = questions.next(answer && jsonIn(answer.text));
	}
	return found.length > 0 ? 1 : 0;
}

async function tokenFor(api: Api, get: (name: string) => string): Promise<WireAnswer | undefined> {
	const pair = { clientId: get('CLIENT_ID'), clientSecret: await secretOf(get) };
	const requests = {
		leads: () => leadsToken(get('AUTH_URL'), pair, get('AUDIENCE') || get('URL')),
		inventory: () => inventoryToken(get('TOKEN_URL'), pair),
		products: () => productsToken(get('AUTH_URL'), pair, get('SCOPE') || undefined),
	};
	return await patiently(requests[api]());
}

async function secretOf(get: (name: string) => string): Promise<string> {
	const plain = get('CLIENT_SECRET');
	if (plain !== '') return plain;
	const message = await readFile(get('ENCRYPTED_SECRET_FILE'), 'utf8');
	const privateKey = await readFile(get('PRIVATE_KEY_FILE'), 'utf8');
	return await openSecret({ message, privateKey, passphrase: get('PASSPHRASE') });
}

/** @returns places, types and names; never a value, which may be somebody's */
function problemsOf(
	api: Api,
	baseUrl: string,
	{ request: { method, url }, statuses = [200] }: Question,
	answer: WireAnswer,
): string[] {
	if (!statuses.includes(answer.status)) {
		return [`status ${answer.status}, not ${statuses.join(' or ')}`];
	}
	const path = url.slice(baseUrl.replace(/\/+$/, '').length).replace(/\?.*$/, '');
	const problems = answerProblems(api, { method, path }, plain(answer), 'open');
	return uniq(problems.map((each) => each.replace(/\/\d+/g, '/…')));
}

function plain({ status, headers, text }: WireAnswer): Answer {
	const type = headers['content-type'];
	return { status, headers: { 'content-type': String(type ?? '') }, body: text };
}

/** What is busy, fails or is cut off is asked again. @returns undefined: there was no answer */
async function patiently(request: WireRequest): Promise<WireAnswer | undefined> {
	for (let attempt = 1; ; attempt++) {
		await pause(BETWEEN_MS);
		const [outcome] = await Promise.allSettled([exchange(request)]);
		const answer = outcome.status === 'fulfilled' ? outcome.value : undefined;
		const isFailed = answer === undefined || answer.status === 429 || answer.status >= 500;
		if (!isFailed || attempt >= TRIES) return answer;
		const seconds = Number(answer?.headers['retry-after'] ?? 3) || 3;
		await pause(Math.min(seconds * 1_000, LONGEST_WAIT_MS));
	}
}
