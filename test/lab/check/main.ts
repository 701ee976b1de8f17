import { setTimeout as pause } from 'node:timers/promises';

import uniq from 'lodash/uniq';

import { findOperation } from '../conformance/operations';
import type { Answer } from '../conformance/problems';
import { answerProblems, tokenAnswerProblems } from '../conformance/problems';
import type { Api } from '../conformance/schemas';
import { APIS } from '../conformance/schemas';
import { isRecord, jsonIn } from '../values';
import { QUESTIONS } from './questions';

/** Reads one of an API's variables; one that is not set is empty. */
type Get = (name: string) => string;

const TRIES = 3;
const TIMEOUT_MS = 60_000;
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
	environment: NodeJS.ProcessEnv,
	write: (line: string) => void,
): Promise<0 | 1 | 2> {
	const verdicts = new Set<string>();
	for (const api of APIS) {
		const prefix = `AGENT_${api.toUpperCase()}_`;
		if (!Object.keys(environment).some((name) => name.startsWith(prefix))) continue;
		const get: Get = (name) => environment[prefix + name] ?? '';
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
async function* answersOf(api: Api, get: Get): AsyncGenerator<[what: string, problems?: string[]]> {
	const token = await askForToken(api, get);
	const body = jsonIn(token?.body ?? '');
	if (!token || token.status !== 200 || !isRecord(body)) {
		yield [`no token: ${token?.status ?? 'no answer'}. It needs ${VARIABLES[api]}`];
		return;
	}
	yield ['token', tokenAnswerProblems(token)];
	const usual = {
		...{ accept: 'application/json', authorization: `Bearer ${String(body.access_token)}` },
		...(api === 'inventory' && { AgencyRef: get('AGENCY_REF') }),
	};
	const questions = QUESTIONS[api](Object.fromEntries(new URLSearchParams(get('FILTER'))));
	for (let next = questions.next(); next.done !== true;) {
		const [path, asked, statuses = [200], own] = next.value;
		const operation = findOperation(api, { method: 'GET', path });
		if (!operation) throw new Error(`The contract has no ${path}`);
		const query = new URLSearchParams(asked);
		const url = `${withoutSlash(get('URL'))}${path}?${query.toString()}`;
		const answer = await ask(url, { headers: { ...usual, ...own } });
		const status = `status ${answer?.status ?? 'none'}, not ${statuses.join(' or ')}`;
		const problems =
			answer && statuses.includes(answer.status)
				? answerProblems(api, { method: 'GET', path }, answer, 'open')
				: [status];
		yield [
			`${operation.operationId}(${uniq([...query.keys()]).join(', ')})`,
			problems.map((each) => each.replace(/\/\d+/g, '/…')),
		];
		next = questions.next(answer && jsonIn(answer.body));
	}
}

/** For leads, the client ID and secret are in the form; elsewhere they are in a header, as UTF-8 without percent-encoding. */
async function askForToken(api: Api, get: Get): Promise<Required<Answer> | undefined> {
	const [id, secret] = [get('CLIENT_ID'), get('CLIENT_SECRET')];
	const audience = get('AUDIENCE') || get('URL');
	const own: Record<Api, Record<string, string>> = {
		leads: { client_id: id, client_secret: secret, audience },
		products: { scope: get('SCOPE') || 'api/api_access' },
		inventory: {},
	};
	const pair = Buffer.from(`${id}:${secret}`).toString('base64');
	return await ask(get('TOKEN_URL') || `${withoutSlash(get('AUTH_URL'))}/oauth2/token`, {
		method: 'POST',
		headers: {
			...{ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
			...(api !== 'leads' && { authorization: `Basic ${pair}` }),
		},
		body: new URLSearchParams({ grant_type: 'client_credentials', ...own[api] }).toString(),
	});
}

function withoutSlash(address: string): string {
	return address.replace(/\/+$/, '');
}

/**
 * Follows no redirect. What is busy, fails or is cut off is asked again.
 *
 * @returns undefined: there was no answer
 */
async function ask(url: string, init: RequestInit): Promise<Required<Answer> | undefined> {
	for (let attempt = 1; ; attempt++) {
		await pause(BETWEEN_MS);
		const signal = AbortSignal.timeout(TIMEOUT_MS);
		const answer = await fetch(url, { ...init, redirect: 'manual', signal })
			.then(async (given) => ({
				status: given.status,
				headers: Object.fromEntries(given.headers),
				body: await given.text(),
			}))
			.catch(() => undefined);
		const isFailed = answer === undefined || answer.status === 429 || answer.status >= 500;
		if (!isFailed || attempt >= TRIES) return answer;
		const seconds = Number(answer?.headers['retry-after']) || 3;
		await pause(Math.min(seconds * 1_000, LONGEST_WAIT_MS));
	}
}
