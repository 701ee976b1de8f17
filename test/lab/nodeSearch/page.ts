// test/lab/nodeSearch/README.md: written by npm run node-search, and read by the test that compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { table, writePage } from '../markdown';
import { root } from '../paths';
import { NOT_OURS } from './queries';
import type { Findings, Rank } from './ranks';

const PAGE = join(root, 'test', 'lab', 'nodeSearch', 'README.md');

/** The heading of what the test reads, and of its first column. */
const RANKS = '## Ranks';
const QUERY = 'Query';

const NONE = '–';

/** For each query, what the page says in the column of one search. */
export type Column = Record<string, string>;

export function columnOf({ subjects }: Findings): Column {
	const ranks = subjects.flatMap((each) => each.ranks);
	return Object.fromEntries(ranks.map((rank) => [rank.query, cellOf(rank)]));
}

/** @param title of a search */
export function recordedColumn(title: string): Column {
	const [, ranks = ''] = readFileSync(PAGE, 'utf8').split(`\n${RANKS}\n`);
	const rows = ranks
		.split('\n')
		.filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
		.map((line) => line.split('|').map((cell) => cell.trim()));
	const column = rows[0]?.indexOf(title) ?? -1;
	if (column < 0) throw new Error(`test/lab/nodeSearch/README.md has no ranks of ${title}`);
	const found = rows.filter(([, query]) => query !== QUERY);
	return Object.fromEntries(found.map((cells) => [cells[1] ?? '', cells[column] ?? '']));
}

export function writeRanks(findings: Findings[], n8nVersion: string): void {
	const parts = [...head(findings, n8nVersion), RANKS, ABOUT_RANKS, ...ranksOf(findings)];
	writePage(PAGE, `${parts.join('\n\n')}\n`);
}

const ABOUT_RANKS = `The rank of the first node that the query is meant to find; under “${NOT_OURS.title}”, of the first node of this package. ${NONE} is none. Bold: not among the first three, or there though it is not meant to be.`;

function head(findings: Findings[], n8nVersion: string): string[] {
	return [
		'# How the nodes are found',
		`Where n8n’s own searches list the nodes of this package, for the words of estate agents and for words that are not theirs. \`npm run node-search\` asks a real n8n (${n8nVersion}) and writes this page; \`test/e2e/nodeSearch.test.ts\` fails if a rank is another one, be it better or worse.`,
		table(
			['Search', 'Who searches', 'Ours: in the first three', 'Not ours: absent'],
			findings.map((each) => [each.search.title, each.search.about, ...sharesOf(each)]),
		),
		'## What decides a rank',
		...RULES,
	];
}

const RULES = [
	'All four compare letters: a node is found if one of its texts has the letters of the query, in their order. Letters in a row, and letters that begin a word, count more. The display name weighs most, and each alias in `nodes/*/*.node.json` weighs less. The panel adds how popular a node is. The models’ searches also read the name of the node type. They read the description as well, but the MCP server and Instance AI only if nothing else fills the list. So a description is written for people.',
	'An alias that is the query itself usually wins. Where a rank is bold, it cannot:',
	[
		'- **lead**: some of n8n’s nodes have these letters in their display names, which weigh more than an alias.',
		'- **new lead**, **CRM lead**, **push lead** and whatever has **trigger** in it, at the MCP server and Instance AI: these search for each word alone, keep the best nodes of each, and a long word counts more than a short one. So what is found for “lead” alone, or for “trigger”, comes before our nodes. “Portal”, “property” and “real estate” are long enough to bring our nodes forward.',
		'- **property valuation**: an alias with these letters would be found for “evaluation” as well.',
		'- **branch** belongs to n8n’s If, Switch and Filter.',
		'- **property advert**: the five that a model is given are all ours, and Agent Products is the last of them.',
		'- **agent**, **AI agent**: our display names begin with that word. n8n’s AI Agent stays the first, except while the AI builder plans.',
		'- **search**: without it, “property search” is not found.',
		'- **ftp**, **error trigger**: their letters are in “weekly featured property”. n8n’s own nodes stay before it.',
		'- **push notification**: few nodes have “push” in their names.',
	].join('\n'),
	'Before you add an alias, look what else has its letters: “Viewing Request” would be found for “request”, and so for “HTTP request”.',
];

function sharesOf({ subjects }: Findings): [ours: string, notOurs: string] {
	const share = (isMeant: (title: string) => boolean) => {
		const ranks = subjects
			.filter(({ subject }) => isMeant(subject.title))
			.flatMap((each) => each.ranks);
		return `${ranks.filter(({ isGood }) => isGood).length} of ${ranks.length}`;
	};
	return [share((title) => title !== NOT_OURS.title), share((title) => title === NOT_OURS.title)];
}

function ranksOf(findings: Findings[]): string[] {
	const columns = findings.map((each) => [each.search.title, columnOf(each)] as const);
	const titles = [QUERY, ...columns.map(([title]) => title)];
	const [first] = findings;
	return (first?.subjects ?? []).flatMap(({ subject: { title, queries } }) => [
		`### ${title}`,
		table(
			titles,
			queries.map((query) => [query, ...columns.map(([, column]) => column[query] ?? NONE)]),
		),
	]);
}

function cellOf({ rank, isGood }: Rank): string {
	const text = rank === undefined ? NONE : String(rank);
	return isGood ? text : `**${text}**`;
}
