import type { Answer } from '../../../lab/conformance/exchange';

export const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };

/** An answer with a body of JSON. */
export function answer(status: number, body: unknown): Answer {
	return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}
