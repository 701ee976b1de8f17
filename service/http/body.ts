import { textOf } from '../basics/values';
import type { HttpAnswer } from './answer';

/** The body of an answer: what its JSON holds, whatever its Content-Type says, or its text. */
export function bodyOf({ headers, body }: HttpAnswer): unknown {
	const text = body instanceof Uint8Array ? decoded(body, textOf(headers['content-type'])) : body;
	return typeof text === 'string' && looksLikeJson(text) ? (parsedJson(text).value ?? text) : text;
}

/** Whether a text begins as the service's JSON does. */
export function looksLikeJson(text: string): boolean {
	return /^\s*[[{]/.test(text);
}

/** Whether JSON ends too early, rather than has a fault in its midst. */
export function isCutShort(text: string): boolean {
	const { faultAt = Infinity } = parsedJson(text);
	return faultAt >= text.trim().length;
}

/** @returns the text in the charset that the answer names; in UTF-8 if it names none, or one that nobody knows */
function decoded(bytes: Uint8Array, contentType: string): string {
	const [, charset = 'utf-8'] = /charset=["']?([^\s;"']+)/i.exec(contentType) ?? [];
	try {
		return new TextDecoder(charset).decode(bytes);
	} catch {
		return new TextDecoder().decode(bytes);
	}
}

/**
 * Between values, JSON allows control characters only as white space. Within a text they are an error of the sender, such
 * as a line break that was not escaped: one lead must not keep all others from being read.
 */
const CONTROL_CHARACTERS = /\p{Cc}/gu;

/** @returns the value, or where the fault is: V8 says so unless it met the end, or a character that begins no value */
function parsedJson(text: string): { value?: unknown; faultAt?: number } {
	try {
		return { value: JSON.parse(text) };
	} catch (error) {
		const lenient = text.replace(CONTROL_CHARACTERS, ' ').trim();
		if (lenient !== text) return parsedJson(lenient);
		const [, position = 0] = /position (\d+)/.exec(String(error)) ?? [];
		return { faultAt: String(error).includes('end of JSON') ? Infinity : Number(position) };
	}
}
