import { jsonParse } from 'n8n-workflow';

import type { HttpAnswer } from './answer';

/** The body of an answer: what its JSON holds, whatever its Content-Type says, or its text. */
export function bodyOf({ body }: HttpAnswer): unknown {
	return typeof body === 'string' && looksLikeJson(body) ? parsedJson(body) : body;
}

/** Whether a text begins as the service's JSON does. */
export function looksLikeJson(text: string): boolean {
	return /^\s*[[{]/.test(text);
}

/**
 * Between values, JSON allows control characters only as white space. Within a text they are an error of the sender, such
 * as a line break that was not escaped: one lead must not keep all others from being read.
 */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** @returns the value; the text itself if it is no JSON */
function parsedJson(text: string): unknown {
	const lenient = text.replace(CONTROL_CHARACTERS, ' ').trim();
	return jsonParse<unknown>(lenient, { fallbackValue: text });
}
