/** Control characters, and characters without a width or a glyph, such as a byte order mark. */
const INVISIBLE =
	'\\p{Cc}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0';

/** The second alternative tries each run of blanks once, so that long runs do not take quadratic time. */
const BLANK_ENDS = new RegExp(
	`^[\\s${INVISIBLE}]+|(?<![\\s${INVISIBLE}])[\\s${INVISIBLE}]+$`,
	'gu',
);

/**
 * Removes blanks at the ends. Text that was pasted or decrypted often has a space, a line break or a byte order mark
 * there.
 */
export function withoutBlankEnds(text: string): string {
	return text.replace(BLANK_ENDS, '');
}

/**
 * Rewrites a short value, such as an ID, a number or a date, in the characters of a keyboard: word processors insert
 * other hyphens, and some keyboards produce digits and commas of double width. Do not use it for a secret, a name or
 * a message.
 */
export function plainCharacters(text: string): string {
	return withoutBlankEnds(text.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-'));
}

/**
 * Names the first character that a person can hardly see, and the text before it: `an invisible character after
 * “AB1”`.
 *
 * @param mayHaveBlanks true if the text consists of words; an ID has no blank
 * @returns undefined if there is no such character
 */
export function hiddenIn(text: string, mayHaveBlanks = false): string | undefined {
	const found = (mayHaveBlanks ? HIDDEN_IN_WORDS : HIDDEN).exec(text);
	if (!found) return undefined;
	const [character] = found;
	const kind = /[\r\n]/.test(character)
		? 'a line break'
		: BLANK.test(character)
			? 'a blank'
			: 'an invisible character';
	return `${kind} after “${text.slice(0, found.index).slice(-20)}”`;
}

const HIDDEN_IN_WORDS = new RegExp(`[${INVISIBLE}]`, 'u');
const HIDDEN = new RegExp(`[\\s${INVISIBLE}]`, 'u');
const BLANK = /\s/;

/** Matches a character that a person cannot see, except a plain space, which may belong to the text. */
export const UNSEEN = new RegExp(`(?! )[\\s${INVISIBLE}]`, 'u');
