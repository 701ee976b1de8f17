import { jsonParse } from 'n8n-workflow';

import { textOf } from '../basics/values';
import type { HttpAnswer } from './answer';

/** Reads the body of an answer: the value of its JSON, with any Content-Type, or its text. */
export function bodyOf({ headers, body }: HttpAnswer): unknown {
	const text = body instanceof Uint8Array ? decoded(body, textOf(headers['content-type'])) : body;
	return typeof text === 'string' && looksLikeJson(text) ? parsedJson(text) : text;
}

/** True if a text begins like the service's JSON. */
export function looksLikeJson(text: string): boolean {
	return /^\s*[[{]/.test(text);
}

/** True if a JSON text ends too early, which another answer may not. */
export function isCutShort(text: string): boolean {
	return !/[\]}]\s*$/.test(text);
}

/** @returns the text in the charset that the Content-Type names, or in UTF-8 if it names none or an unknown one */
function decoded(bytes: Uint8Array, contentType: string): string {
	const [, charset = 'utf-8'] = /charset=["']?([^\s;"']+)/i.exec(contentType) ?? [];
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return new TextDecoder().decode(bytes);
	}
}

/**
 * Matches control characters. Between values, JSON allows some of them as white space. Inside a text they are an
 * error of the sender, such as an unescaped line break, which must not make all leads of the answer unreadable.
 */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** @returns the value, or the text itself if it is not JSON */
function parsedJson(text: string): unknown {
	const lenient = () => text.replace(CONTROL_CHARACTERS, ' ').trim();
	const fallbackValue = () => jsonParse<unknown>(lenient(), { fallbackValue: text });
	return jsonParse<unknown>(text, { fallbackValue });
}
