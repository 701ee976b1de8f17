import { jsonParse } from 'n8n-workflow';

import { textOf } from '../basics/values';
import type { HttpAnswer } from './answer';

/** Reads the body of an answer: the JSON value, whatever the Content-Type says, or the text if it is not JSON. */
export function bodyOf({ headers, body }: HttpAnswer): unknown {
	const text = body instanceof Uint8Array ? decoded(body, textOf(headers['content-type'])) : body;
	return typeof text === 'string' && looksLikeJson(text) ? parsedJson(text) : text;
}

/** True if a text starts like a JSON object or list, as the service sends them. */
export function looksLikeJson(text: string): boolean {
	return /^\s*[[{]/.test(text);
}

/** True if a JSON text is cut off before its end. If the request is repeated, its answer may be whole. */
export function isCutShort(text: string): boolean {
	return !/[\]}]\s*$/.test(text);
}

/**
 * Decodes the bytes of a body.
 *
 * @returns the text in the charset that the Content-Type names, or in UTF-8 if it names none or an unknown one
 */
function decoded(bytes: Uint8Array, contentType: string): string {
	const [, charset = 'utf-8'] = /charset=["']?([^\s;"']+)/i.exec(contentType) ?? [];
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return new TextDecoder().decode(bytes);
	}
}

/**
 * Matches control characters. JSON allows some of them as white space between values. Inside a string they are an error
 * of the sender, such as an unescaped line break. If a body cannot be parsed, they are replaced by spaces, so that such
 * an error does not make all leads of the answer unreadable.
 */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/**
 * Matches an integer of 16 digits or more, even inside a string. Most JSON texts contain none, so they need no search
 * for integers to put in quotes.
 */
const HAS_LONG_INTEGER = /[:[,\s]-?\d{16}/;

/**
 * Matches each integer of 16 digits or more in a JSON text, and also each whole string, so that an integer inside a
 * string is not matched by itself and put in quotes.
 */
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Parses a JSON text. An integer above 2^53 becomes a string of its digits: JavaScript would round it, and two leads
 * whose IDs are such numbers would look like one.
 *
 * @returns the value, or the text itself if it is not JSON
 */
function parsedJson(text: string): unknown {
	const exact = HAS_LONG_INTEGER.test(text) ? text.replace(STRING_OR_LONG_INTEGER, inQuotes) : text;
	const lenient = () => exact.replace(CONTROL_CHARACTERS, ' ').trim();
	const fallbackValue = () => jsonParse<unknown>(lenient(), { fallbackValue: text });
	return jsonParse<unknown>(exact, { fallbackValue });
}

/** Puts quotes around an integer that JavaScript cannot hold, and leaves strings and other numbers as they are. */
function inQuotes(token: string): string {
	return token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `"${token}"`;
}
