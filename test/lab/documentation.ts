import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import escapeRegExp from 'lodash/escapeRegExp';
import { root } from './paths';

/** @returns the text under each heading of the second level of a page of docs/, by that heading */
function chaptersOf(page: string): Map<string, string> {
	const text = readFileSync(join(root, 'docs', `${page}.md`), 'utf8');
	const [, ...chapters] = text.split(/^## /m);
	return new Map(
		chapters.map((chapter) => {
			const end = chapter.indexOf('\n');
			return [chapter.slice(0, end), chapter.slice(end)];
		}),
	);
}

/** The chapters of troubleshooting on what n8n says, and on what is no message. */
const OTHERS = [
	'How to read a message',
	'No message, but something is wrong',
	'Messages of n8n itself',
	'How requests are repeated and paced',
];

const NOTES = 'Notes that are not errors';

/** The messages of this package that belong to a code; `…` stands for what differs. Notes have none. */
export interface Entry {
	code?: string;
	messages: string[];
}

/** All that troubleshooting explains of this package's messages. */
export function entriesOfTroubleshooting(): Entry[] {
	return [...chaptersOf('troubleshooting')]
		.filter(([title]) => !OTHERS.includes(title))
		.flatMap(([, chapter]) => chapter.split(/^### /m).slice(1))
		.map((entry) => {
			const [title = ''] = entry.split('\n', 1);
			if (title === NOTES) return { messages: boldIn(entry, /^- \*\*(.+?)\*\*/gm) };
			return { code: title, messages: boldIn(entry, /^\*\*(.+)\*\*\\?$/gm) };
		});
}

function boldIn(entry: string, pattern: RegExp): string[] {
	return [...entry.matchAll(pattern)].map(([, message = '']) => message);
}

/** What a message as the documentation has it looks like in n8n. */
export function patternOf(message: string): RegExp {
	const parts = message.split('…').map(escapeRegExp);
	return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** An example item of a page, and whether it says that it leaves something out. */
export interface ExampleItem {
	item: Record<string, unknown>;
	isShortened: boolean;
}

/** The example items of a page's section on output, in their order. */
export function exampleItems(page: string): ExampleItem[] {
	const blocks = chaptersOf(page)
		.get('Output')
		?.matchAll(/```json\n([^]+?)```\s*(\(Shortened:)?/g);
	return [...(blocks ?? [])].map(([, json = '', shortened]) => ({
		item: JSON.parse(json) as Record<string, unknown>,
		isShortened: shortened !== undefined,
	}));
}
