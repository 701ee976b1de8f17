/** What stands between two of these is not meant to be read. */
const UNREAD = /<(script|style)\b[^<>]*>[^<]*<\/\1\s*>|<!(?:--|\[|doctype)[^<>]*>/gi;

/**
 * Tags of HTML alone, with attributes that have values or with none: who types “a <b and c> d” or
 * “<Robin>” has written no tag, and no word of theirs may get lost. No part of a pattern runs past the next
 * `<`, so that the longest text takes a time that grows with its length alone.
 */
const REST_OF_TAG = '(?:\\s[^<>=]*=[^<>]*|\\s*/?)>';
const LINE_TAG = new RegExp(
	`</?(?:br|hr|p|div|li|ul|ol|dl|dt|dd|table|tr|h[1-6]|blockquote|pre)${REST_OF_TAG}\\n?`,
	'gi',
);
const CELL_TAG = new RegExp(`</?(?:td|th)${REST_OF_TAG}`, 'gi');
const OTHER_TAG = new RegExp(
	`</?(?:a|abbr|b|big|body|center|code|del|em|font|head|html|i|img|ins|link|meta|o:p|q|s|script|section|small|span|strike|strong|style|sub|sup|tbody|tfoot|thead|title|tt|u)${REST_OF_TAG}`,
	'gi',
);

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;

/** Those that people's messages have; another one stays as it was written. */
const NAMED: Partial<Record<string, string>> = {
	amp: '&',
	apos: "'",
	bull: '•',
	euro: '€',
	gt: '>',
	hellip: '…',
	ldquo: '“',
	lsquo: '‘',
	lt: '<',
	mdash: '—',
	middot: '·',
	nbsp: ' ',
	ndash: '–',
	pound: '£',
	quot: '"',
	rdquo: '”',
	rsquo: '’',
};

/** Word and old web pages write a line break as one of these as well. */
const LINE_BREAK = /\r\n?|[\v\f\u2028\u2029]/g;

/** What stands around words of a message, and would be taken for a thing not meant to be read. */
const CDATA = /<!\[CDATA\[|\]\]>/g;

/** What Windows calls the control characters from 128 on: “I&#146;d like” means “I’d like”. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** What makes a message other than tidy plain text. Most messages have none of it. */
const UNTIDY = /[<&]|[^\P{Cc}\n]|[^\S\n ]| {2}| \n|\n |\n{3}|^\s|\s$/u;

/** What a person typed, without markup: lines stay lines, tags go, `&pound;` is a £ again. */
export function plainMessage(message: string): string {
	if (!UNTIDY.test(message)) return message;
	const lines = message.replace(LINE_BREAK, '\n');
	const text = lines.includes('<') ? withoutTags(lines) : lines;
	return tidied(text.includes('&') ? text.replace(ENTITY, character) : text);
}

function withoutTags(text: string): string {
	const words = text.includes('<![CDATA[') ? text.replace(CDATA, '') : text;
	return words
		.replace(UNREAD, '')
		.replace(LINE_TAG, '\n')
		.replace(CELL_TAG, ' ')
		.replace(OTHER_TAG, '');
}

function character(entity: string, decimal?: string, hex?: string, name?: string): string {
	if (name !== undefined) return (Object.hasOwn(NAMED, name) && NAMED[name]) || entity;
	const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
	const isSurrogate = code >= 0xd800 && code <= 0xdfff;
	return code <= 0x10ffff && !isSurrogate ? String.fromCodePoint(code) : entity;
}

/** One space between words, at most one empty line between lines, no control characters. */
function tidied(text: string): string {
	return text
		.replace(LINE_BREAK, '\n')
		.replace(/[\u0080-\u009f]/g, (unit) => WINDOWS_1252.charAt(unit.charCodeAt(0) - 0x80))
		.replace(/[^\P{Cc}\n\t]/gu, '')
		.replace(/[^\S\n]+/g, ' ')
		.replace(/ ?\n ?/g, '\n')
		.replace(/\n{3,}/g, '\n\n')
		.trim();
}
