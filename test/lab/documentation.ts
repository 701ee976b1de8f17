import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import escapeRegExp from 'lodash/escapeRegExp';
import { root } from './paths';

/** The pages of docs/, by their names. */
export type Page =
	| 'agent-inventory'
	| 'agent-inventory-trigger'
	| 'agent-leads'
	| 'agent-leads-push-trigger'
	| 'agent-leads-trigger'
	| 'agent-products'
	| 'troubleshooting';

/** The chapters of troubleshooting that explain messages of this package. */
export const CHAPTERS = [
	'About the credential',
	'About an encrypted secret',
	'Only while you test a credential',
	'In a run of any node',
	'About a field that several nodes have',
	'Of Agent Leads',
	'Of Agent Inventory',
	'Of Agent Products',
	'Of Agent Leads Trigger',
	'Of Agent Leads Push Trigger',
] as const;

export type Chapter = (typeof CHAPTERS)[number];

function read(page: Page): string {
	return readFileSync(join(root, 'docs', `${page}.md`), 'utf8');
}

/** The text under a heading of the second level, without the heading. */
function section(page: Page, title: string): string {
	const found = chaptersOf(page).get(title);
	if (found === undefined) throw new Error(`docs/${page}.md has no section ${title}`);
	return found;
}

function chaptersOf(page: Page): Map<string, string> {
	const [, ...chapters] = read(page).split(/^## /m);
	return new Map(
		chapters.map((chapter) => {
			const end = chapter.indexOf('\n');
			return [chapter.slice(0, end), chapter.slice(end)];
		}),
	);
}

/** The chapters on what n8n says, and on what is no message. */
const OTHERS = [
	'How to read a message',
	'Messages of n8n itself',
	'In the HTTP Request node',
	'How requests are repeated',
];

/**
 * The messages that a page explains; `…` stands for what differs. In troubleshooting they are the
 * headings and what follows “Also:”, on the page of a node the first column of the tables of errors.
 *
 * @param chapter of troubleshooting, or all of them
 */
export function messagesOf(page: Page, chapter?: Chapter): string[] {
	if (page !== 'troubleshooting') {
		const cells = [...section(page, 'Errors').matchAll(/^\| (.+?) +\|/gm)].map(([, cell]) => cell);
		return cells.filter((cell) => cell !== undefined && !/^(Message|-+)$/.test(cell)) as string[];
	}
	return [...chaptersOf(page)]
		.filter(([title]) => (chapter ? title === chapter : !OTHERS.includes(title)))
		.flatMap(([, text]) =>
			[...text.matchAll(/^### (.+)$|^Also: ([^]+?)\n\n/gm)].flatMap(([, heading, others = '']) =>
				heading === undefined ? boldIn(others) : [heading],
			),
		);
}

function boldIn(text: string): string[] {
	return [...text.matchAll(/\*\*(.+?)\*\*/gs)].map(([, bold = '']) => bold.replace(/\s+/g, ' '));
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

/** The example items of a section, in their order. */
export function exampleItems(page: Page, title = 'Output'): ExampleItem[] {
	const blocks = section(page, title).matchAll(/```json\n([^]+?)```\s*(\(Shortened)?/g);
	return [...blocks].map(([, json = '', shortened]) => ({
		item: JSON.parse(json) as Record<string, unknown>,
		isShortened: shortened !== undefined,
	}));
}
