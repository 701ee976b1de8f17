// The figures as tables, in the terminal and in bench/README.md.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { nodeForN8n } from '../../test/lab/n8n';
import { DEFAULT_N8N } from '../../test/lab/n8n/installation';
import { root } from '../../test/lab/paths';

/** What a run of the benchmark is asked for. */
export interface Settings {
	/** Fewer sizes, and one round of each. */
	isQuick: boolean;
	/** How often each variant is measured. */
	rounds: number;
}

/** What a case has found. */
export interface Result {
	title: string;
	/** What was done, in a sentence or two. */
	about: string;
	columns: string[];
	rows: string[][];
	goals: Goal[];
	/** What the figures show beside the goals: sentences. */
	notes?: string[];
}

export interface Goal {
	text: string;
	figure: string;
	isMet: boolean;
}

const PAGE = join(root, 'bench', 'README.md');

/** @returns a goal for a ratio that must not be above a limit */
export function atMost(limit: number, text: string, ratio: number): Goal {
	return { text: `${text}, at most ${times(limit)}`, figure: times(ratio), isMet: ratio <= limit };
}

/** A ratio as the reader sees it. */
export function times(ratio: number): string {
	return `${ratio.toFixed(2)}×`;
}

export function whole(value: number): string {
	return value.toLocaleString('en-GB', { maximumFractionDigits: 0 });
}

export function tenths(value: number): string {
	return value.toFixed(1);
}

/** Prints a line on what is being measured. */
export function say(text: string): void {
	console.log(`${text} …`);
}

/** @param isJudged whether there were enough rounds to decide if a goal is met */
export function print({ title, columns, rows, goals }: Result, isJudged: boolean): void {
	console.log(`\n${title}`);
	console.table(
		rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? '']))),
	);
	for (const { text, figure, isMet } of goals) {
		const verdict = isMet ? 'met   ' : 'MISSED';
		console.log(`${isJudged ? verdict : 'goal  '}  ${text}: ${figure}`);
	}
}

/** Renews the part of bench/README.md that is about one case. */
export function renew(result: Result): void {
	const heading = `## ${result.title}\n`;
	const parts = readFileSync(PAGE, 'utf8').split(/^(?=## )/m);
	const index = parts.findIndex((part) => part.startsWith(heading));
	parts.splice(index < 0 ? parts.length : index, 1, `${sectionOf(result)}\n\n`);
	writeFileSync(PAGE, parts.map((part) => `${part.trimEnd()}\n\n`).join(''));
	// In the format that the linter wants.
	const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
	execFileSync(process.execPath, [prettier, '--write', '--log-level', 'warn', PAGE], { cwd: root });
}

function sectionOf({ title, about, columns, rows, goals, notes = [] }: Result): string {
	const judged = goals.map(({ text, figure, isMet }) => [text, figure, isMet ? 'yes' : '**no**']);
	const date = new Date().toISOString().slice(0, 10);
	return [
		`## ${title}`,
		about,
		table(['Goal', 'Measured', 'Met'], judged),
		table(columns, rows),
		...notes,
		`Measured on ${date}: ${circumstances()}.`,
	].join('\n\n');
}

function circumstances(): string {
	const versionOf = (...path: string[]) =>
		(JSON.parse(readFileSync(join(...path, 'package.json'), 'utf8')) as { version: string })
			.version;
	const node = execFileSync(nodeForN8n(), ['--version'], { encoding: 'utf8' }).trim();
	const n8n = versionOf(DEFAULT_N8N, 'n8n');
	return `package ${versionOf(root)}, n8n ${n8n} on Node.js ${node} and SQLite, ${cpus().length} cores`;
}

function table(columns: string[], rows: string[][]): string {
	const lines = [columns, columns.map(() => '---'), ...rows];
	return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
