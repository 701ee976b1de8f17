/** What stands between two of these is not meant to be read. */
const UNREAD = /<(script|style)\b[^<>]*>[^<]*<\/\1\s*>|<!(?:--|doctype)[^<>]*>/gi;

/**
 * Tags of HTML alone, with attributes that have values or with none: who types “a <b and c> d” or
 * “<Robin>” has written no tag, and no word of theirs may get lost. No part of a pattern runs past the next
 * `<`, so that the longest text takes a time that grows with its length alone.
 */
function tags(names: string, behind = ''): RegExp {
	return new RegExp(`</?(?:${names})(?:\\s[^<>=]*=[^<>]*|\\s*/?)>${behind}`, 'gi');
}

const LINES = tags('br|hr|p|div|li|ul|ol|dl|dt|dd|table|tr|h[1-6]|blockquote|pre', '\\r?\\n?');
const CELLS = tags('td|th');
const OTHERS = tags(
	'a|abbr|b|big|body|center|code|del|em|font|head|html|i|img|ins|link|meta|o:p|q|s|script|section|small|span|strike|strong|style|sub|sup|tbody|tfoot|thead|title|tt|u',
);

const ENTITY = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;

/** Those that people's messages have; another one stays as it was written. */
const NAMED = new Map([
	['amp', '&'],
	['apos', "'"],
	['bull', '•'],
	['euro', '€'],
	['gt', '>'],
	['hellip', '…'],
	['ldquo', '“'],
	['lsquo', '‘'],
	['lt', '<'],
	['mdash', '—'],
	['middot', '·'],
	['nbsp', ' '],
	['ndash', '–'],
	['pound', '£'],
	['quot', '"'],
	['rdquo', '”'],
	['rsquo', '’'],
]);

/** What a person typed, without markup: lines stay lines, tags go, `&pound;` is a £ again. */
export function plainMessage(message: string): string {
	const text = message
		.replace(UNREAD, '')
		.replace(LINES, '\n')
		.replace(CELLS, ' ')
		.replace(OTHERS, '');
	return tidied(text.replace(ENTITY, character));
}

function character(entity: string, decimal?: string, hex?: string, name?: string): string {
	if (name !== undefined) return NAMED.get(name) ?? entity;
	const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal);
	const isSurrogate = code >= 0xd800 && code <= 0xdfff;
	return code <= 0x10ffff && !isSurrogate ? String.fromCodePoint(code) : entity;
}

/**
 * One space between words, at most one empty line between lines, no control characters. Word and old web pages have
 * line breaks of their own.
 */
function tidied(text: string): string {
	return text
		.replace(/\r\n?|[\v\f\u2028\u2029]/g, '\n')
		.replace(/[^\P{Cc}\n\t]/gu, '')
		.replace(/[^\S\n]+/g, ' ')
		.replace(/ ?\n ?/g, '\n')
		.replace(/\n{3,}/g, '\n\n')
		.trim();
}
