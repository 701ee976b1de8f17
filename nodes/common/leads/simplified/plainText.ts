import noop from 'lodash/noop';

import { withoutBlankEnds } from '../../../../service/basics/tidy';
import { textOf } from '../../../../service/basics/values';
import html from '../../../../vendor/html';

/** Matches the names of the HTML elements that a browser shows on lines of their own. */
const OF_LINES =
	/^(?:address|article|aside|blockquote|body|br|caption|center|d[dlt]|details|dialog|dir|div|fieldset|fig(?:caption|ure)|footer|form|h[1-6r]|header|hgroup|legend|li|main|menu|nav|[ou]l|optgroup|option|p|pre|search|section|summary|table|tr)$/;

const OF_CELLS = /^t[dh]$/;

/** The names of the HTML elements whose content no browser shows, and `xml`, in which Word stores its settings. */
const UNSEEN = ['script', 'style', 'svg', 'template', 'title', 'xml'];

/** Matches the HTML attributes that have no value. */
const FLAGS =
	/^(?:async|autofocus|checked|compact|controls|defer|disabled|hidden|loop|multiple|muted|nohref|noshade|nowrap|open|readonly|required|reversed|selected|\/|\s)*$/i;

/**
 * Matches a `<`, and the tag or the start of a comment or declaration that may follow. An attribute must follow a blank
 * or a quoted value. No part of the pattern continues past the next unquoted `<`, so that the time of a search grows
 * only linearly with the length of the text.
 */
const MAYBE_MARKUP =
	/<(?:!--|!\[|!doctype\s|\?xml\b|\/?([a-z][\w:-]*)((?:(?:[\s/]+|(?<=["']))[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>]+))?)*[\s/]*)>)?/gi;

/** Matches a text that needs no tidying: ASCII words with single spaces between them, as in most fields. */
const USUAL = /^(?:[!-%'-;=-~]+(?: [!-%'-;=-~]+)*)?$/;

/** Matches the name of an element that Word or Outlook adds, such as `<o:p>`. */
const OF_WORD = /^(?:[movwx]|st1):/;

/**
 * Returns the text that a person typed, without markup. Line breaks stay, tags and comments are removed, and `&pound;`
 * becomes £.
 *
 * Only comments, and tags of HTML elements whose attributes have values, count as markup. Everything else is text: “a <
 * b”, “<Robin>”, “a <b and c> d”. No word that a person typed may be lost.
 */
export function plainText(typed: unknown): string {
	const text = textOf(typed);
	if (USUAL.test(text)) return text;
	return tidied(text.includes('<') ? withoutMarkup(text) : withoutEntities(text));
}

/** Returns the text that a person typed, without markup and in one line; null if nothing remains. */
export function plainLine(typed: unknown): string | null {
	return plainText(typed).replace(/\s+/g, ' ') || null;
}

/** Escapes each `<` that does not start markup as `&lt;`, so that the HTML parser keeps it. */
function withoutFalseMarkup(text: string, names: Set<string>): string {
	const lower = text.toLowerCase();
	// If an element such as `style` is never closed, it would remove the rest of the text, so its tag counts as text.
	for (const name of UNSEEN) if (!lower.includes(`</${name}`)) names.delete(name);
	const lastComment = text.lastIndexOf('-->');
	const isTag = (name: string, attributes: string) =>
		(names.has(name) || OF_WORD.test(name)) && (attributes.includes('=') || FLAGS.test(attributes));
	const isMarkup = (found: string, name: string | undefined, attributes: string, at: number) => {
		if (name !== undefined) return isTag(name.toLowerCase(), attributes);
		return found === '<!--' ? at < lastComment : found !== '<';
	};
	return text.replace(
		MAYBE_MARKUP,
		(found, name: string | undefined, attributes: string, at: number) =>
			isMarkup(found, name, attributes, at) ? found : `&lt;${found.slice(1)}`,
	);
}

function withoutMarkup(text: string): string {
	const { htmlTagNames, Tokenizer } = html();
	const marked = withoutFalseMarkup(text, new Set([...htmlTagNames, 'search', 'xml']));
	let plain = '';
	let opened = '';
	let unseen = 0;
	const read = (start: number, end: number) => {
		const words = marked.slice(start, end);
		// The tag of an element such as `<p>` has already added a line break, so a line break that directly follows the
		// tag in the HTML source is left out.
		if (unseen === 0) plain += plain.endsWith('\n') ? words.replace(/^\r?\n/, '') : words;
	};
	const tag = (start: number, end: number) => {
		const name = marked.slice(start, end).toLowerCase();
		plain += OF_LINES.test(name) ? '\n' : OF_CELLS.test(name) ? ' ' : '';
		return name;
	};
	const close = (name: string) => {
		if (UNSEEN.includes(name)) unseen = Math.max(0, unseen - 1);
	};
	new Tokenizer(
		{ decodeEntities: false },
		{
			...{ onattribdata: noop, onattribend: noop, onattribentity: noop, onattribname: noop },
			...{ oncomment: noop, ondeclaration: noop, onend: noop, onopentagend: noop },
			...{ onprocessinginstruction: noop, ontextentity: noop },
			oncdata: (start, end, endOffset) => read(start, end - endOffset),
			onclosetag: (start, end) => close(tag(start, end)),
			onopentagname: (start, end) => {
				opened = tag(start, end);
				if (UNSEEN.includes(opened)) unseen++;
			},
			onselfclosingtag: () => close(opened),
			ontext: read,
		},
	).write(marked);
	return withoutEntities(plain);
}

/** Replaces the entities of HTML, such as `&pound;`, by the characters that they stand for. */
function withoutEntities(text: string): string {
	return text.includes('&') ? html().decodeHTMLStrict(text) : text;
}

/**
 * Tidies a text: it leaves one space between words, at most one empty line between lines, and no control characters.
 * The unusual line break characters of Word and old web pages become ordinary ones.
 */
function tidied(text: string): string {
	const lines = text
		.replace(/\r\n?|[\v\f\u2028\u2029]/g, '\n')
		.replace(/[^\P{Cc}\n\t]/gu, '')
		.replace(/[^\S\n]+/g, ' ')
		.replace(/ ?\n ?/g, '\n')
		.replace(/\n{3,}/g, '\n\n');
	return withoutBlankEnds(lines);
}
