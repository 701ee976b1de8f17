/** Control characters, and characters without a width or a glyph, such as a byte order mark. */
const INVISIBLE =
	'\\p{Cc}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0';

/**
 * Matches blanks and invisible characters at both ends. The lookbehind makes the search look at each run of blanks only
 * once, so that long runs do not take quadratic time.
 */
const BLANK_ENDS = new RegExp(
	`^[\\s${INVISIBLE}]+|(?<![\\s${INVISIBLE}])[\\s${INVISIBLE}]+$`,
	'gu',
);

/**
 * Removes blanks and invisible characters at both ends. Text that was pasted or decrypted often has a space, a line
 * break or a byte order mark there.
 */
export function withoutBlankEnds(text: string): string {
	return text.replace(BLANK_ENDS, '');
}

/**
 * Replaces the characters of a short value, such as an ID, a number or a date, with those of an ordinary keyboard: word
 * processors insert other hyphens, and some keyboards produce full-width digits and commas. It is not meant for
 * secrets, names or messages.
 */
export function plainCharacters(text: string): string {
	return withoutBlankEnds(text.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-'));
}

/**
 * Describes the first character that a person can hardly see, with the text before it: `an invisible character after
 * “AB1”`.
 *
 * @param mayHaveBlanks true for a text of several words; false for an ID, in which a blank is an error
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

/** Matches a character that a person cannot see. A plain space does not match, because it may belong to the text. */
export const UNSEEN = new RegExp(`(?! )[\\s${INVISIBLE}]`, 'u');
