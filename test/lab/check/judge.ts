import { answerProblems, recordProblems } from '../conformance/problems';
import type { Reply } from './asker';
import type { Outcome } from './findings';
import { differs, expected, notTried } from './findings';
import { isRecord, strangersIn } from './records';
import type { Api } from './settings';

const MOST_TOLD = 6;

const IN_A_RECORD = /^body: (\/\w+)?\/\d+/;

/**
 * Where an answer departs from the contract: a status that was not asked for, or a shape. What is wrong inside of
 * the records of a list is for `recordsAsExpected`, and hides nothing else.
 */
export function departure(
	api: Api,
	path: string,
	reply: Reply,
	statuses: number[],
): Outcome | undefined {
	if (!statuses.includes(reply.status)) {
		return differs(`${answered(reply)}, not ${statuses.join(' or ')}`);
	}
	if (reply.status === 200 && reply.kind !== 'json') return differs(answered(reply));
	const problems = problemsOf(api, path, reply).filter((problem) => !IN_A_RECORD.test(problem));
	return problems.length > 0 ? differs(told(problems)) : undefined;
}

/** In which shapes each API refuses; where the contract does not say, a body need not be there. */
const REFUSALS: Record<Api, Shape[]> = {
	leads: ['message', 'empty'],
	inventory: ['problem', 'fields', 'message', 'empty'],
	products: ['reason', 'empty'],
};

/** Whether a refusal comes with one of these statuses, and in a shape of its API. */
export function refusal(
	api: Api,
	reply: Reply,
	statuses: number[],
	shapes = REFUSALS[api],
): Outcome {
	const says = answered(reply);
	if (!statuses.includes(reply.status)) return differs(`${says}, not ${statuses.join(' or ')}`);
	return shapes.includes(shapeOf(reply)) ? expected(says) : differs(says);
}

export type Shape = keyof typeof SHAPES;

const SHAPES = {
	empty: 'an empty body',
	page: 'a web page',
	text: 'text that is no JSON',
	message: 'errors that have a message',
	reason: 'errors that have a reason',
	problem: 'a problem with title and status',
	fields: 'a problem that names fields in errors',
	token: 'an error of OAuth 2.0',
	other: 'JSON of another shape',
};

/** “400 with an empty body”. */
export function answered(reply: Reply): string {
	return `${reply.status} with ${SHAPES[shapeOf(reply)]}`;
}

export function shapeOf({ kind, body }: Reply): Shape {
	if (kind !== 'json') return kind;
	if (!isRecord(body)) return 'other';
	const { errors, error } = body;
	if (typeof error === 'string') return 'token';
	if (Array.isArray(errors)) return entryShape(errors[0]);
	if (isRecord(errors) && 'title' in body) return 'fields';
	return 'title' in body && 'status' in body ? 'problem' : 'other';
}

function entryShape(entry: unknown): Shape {
	if (!isRecord(entry)) return 'other';
	if ('message' in entry) return 'message';
	return 'reason' in entry ? 'reason' : 'other';
}

/** Whether records have the names, types and values of the contract. */
export function recordsAsExpected(api: Api, schema: string, records: unknown[]): Outcome {
	const { names, values } = strangersIn(api, schema, records);
	if (records.length === 0) return notTried('no records');
	const misfits = records.flatMap((record) => recordProblems(api, schema, record, 'open'));
	if (misfits.length > 0) return differs(told(misfits));
	const count = `${records.length} ${records.length === 1 ? 'record' : 'records'}`;
	if (names.size > 0) return differs(`fields that the contract does not have: ${told([...names])}`);
	if (values.size > 0) {
		return expected(`${count}; values that are not listed, which may be: ${told([...values])}`);
	}
	return expected(`${count}, every field is known`);
}

/** A few of many, without the places in a list, which say nothing. */
export function told(things: string[]): string {
	const unique = [...new Set(things.map((thing) => thing.replace(/\/\d+/g, '/…')))];
	const more = unique.length - MOST_TOLD;
	return unique.slice(0, MOST_TOLD).join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function problemsOf(api: Api, path: string, { status, headers, text }: Reply): string[] {
	const answer = { status, headers, body: text };
	return answerProblems(api, { method: 'GET', path }, answer, 'open');
}
