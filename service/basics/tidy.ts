/** Control characters and characters without a width or a sign, such as a byte order mark. */
const INVISIBLE =
	'\\p{Cc}\\u00ad\\u034f\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0';

/** The second half tries each run of them once. */
const BLANK_ENDS = new RegExp(
	`^[\\s${INVISIBLE}]+|(?<![\\s${INVISIBLE}])[\\s${INVISIBLE}]+$`,
	'gu',
);

/** Text that is pasted or decrypted often brings a space, a line break or a byte order mark along. */
export function withoutBlankEnds(text: string): string {
	return text.replace(BLANK_ENDS, '');
}

/**
 * A short value, such as an ID, a number or a date, in the characters of a keyboard: a word processor makes other hyphens,
 * and some keyboards make digits and commas of double width. A secret, a name or a message has to stay as it is.
 */
export function plainCharacters(text: string): string {
	return withoutBlankEnds(text.normalize('NFKC').replace(/[\p{Pd}\u2212]/gu, '-'));
}

/**
 * What a person can hardly see in a text, and behind what: `an invisible character after “AB1”`.
 *
 * @param mayHaveBlanks whether it consists of words; an ID has no blank
 * @returns undefined if there is nothing
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

/** What a person cannot see in a text: all but a plain space, which may belong to it. */
export const UNSEEN = new RegExp(`(?! )[\\s${INVISIBLE}]`, 'u');
