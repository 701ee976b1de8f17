// The figures as a table, in the terminal and in bench/README.md.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

import { row, table, writePage } from '../../test/lab/markdown';
import { root } from '../../test/lab/paths';
import { readManifest } from '../../test/lab/proof/manifest';
import { whole, type Goal, type Plot, type Result } from './result';

/** What the page says about the run as a whole. */
export interface Run {
	rounds: number;
	minutes: number;
	n8nVersion: string;
	/** The version of Node.js that n8n ran on. */
	n8nNode: string;
}

/** Makes an SVG of a plot. */
export type Draw = (plot: Plot) => Promise<string>;

const PAGE = join(root, 'bench', 'README.md');
const IMAGES = join(root, 'bench', 'images');

/** @param isJudged whether there were enough rounds to say that a goal is met */
export function print(
	{ title, columns, rows, goals, notes = [] }: Result,
	isJudged: boolean,
): void {
	console.log(`\n${title}`);
	console.table(
		rows.map((row) =>
			Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])),
		),
	);
	for (const goal of goals)
		console.log(`${isJudged ? verdict(goal) : 'goal  '}  ${goal.text}: ${goal.figure}`);
	for (const note of notes) console.log(note);
}

function verdict({ isMet }: Goal): string {
	return isMet ? 'met   ' : 'MISSED';
}

/** Writes bench/README.md and its plots. */
export async function write(results: Result[], run: Run, draw: Draw): Promise<void> {
	await publish(
		`${[...head(results, run), ...results.flatMap(section)].join('\n\n')}\n`,
		results,
		draw,
	);
}

/** Renews the part of bench/README.md that is about one case. */
export async function renew(result: Result, draw: Draw): Promise<void> {
	const date = new Date().toISOString().slice(0, 10);
	await publish(renewed(readFileSync(PAGE, 'utf8'), result, date), [result], draw);
}

/** @returns the page with what a run of this case alone has found */
export function renewed(page: string, result: Result, date: string): string {
	const alone = `Measured on ${date}, this case alone.`;
	const text = section({ ...result, notes: [...(result.notes ?? []), alone] }).join('\n\n');
	const isOfCase = (part: string) => part.startsWith(`## ${result.title}\n`);
	const parts = page.split(/^(?=## )/m).map((part) => (isOfCase(part) ? `${text}\n\n` : part));
	if (!parts.some(isOfCase)) parts.push(`\n${text}\n`);
	return parts
		.map((part) => (part.startsWith('## Goals\n') ? withGoals(part, result) : part))
		.join('');
}

function withGoals(part: string, result: Result): string {
	const lines = part.trimEnd().split('\n');
	const isOfCase = (line: string) => line.split('|')[1]?.trim() === result.title;
	const others = lines.filter((line) => !isOfCase(line));
	const place = lines.findIndex(isOfCase);
	others.splice(place < 0 ? others.length : place, 0, ...goalRows(result).map(row));
	return `${others.join('\n')}\n\n`;
}

async function publish(page: string, results: Result[], draw: Draw): Promise<void> {
	mkdirSync(IMAGES, { recursive: true });
	for (const { plot } of results)
		if (plot) writeFileSync(join(IMAGES, plot.file), `${(await draw(plot)).trim()}\n`);
	writePage(PAGE, page);
	console.log('\nWritten to bench/README.md, its plots to bench/images.');
}

function head(results: Result[], run: Run): string[] {
	return [
		'# Benchmark',
		`The nodes of this package beside n8n’s own HTTP Request node with its OAuth2 credential (client credentials), in a real n8n, against the sandbox service on the same machine, in turn in one run. Figures are medians of ${run.rounds} unless a row says otherwise. \`npm run bench\` makes this page and ends with an error if a goal is missed; \`npm run bench -- --quick\` takes under two minutes, prints the figures of one round and changes nothing here.`,
		table(['', ''], circumstances(run)),
		'Wall times are taken outside n8n with a monotonic clock, from the call of a workflow’s webhook to its answer. Node times are those that n8n stores with an execution. CPU time and memory of n8n are the operating system’s.',
		'## Goals',
		table(['Case', 'Goal', 'Measured', 'Met'], results.flatMap(goalRows)),
	];
}

function circumstances({ n8nVersion, n8nNode, minutes }: Run): string[][] {
	const machine = [
		`${cpus().length} cores (${arch()})`,
		`${whole(totalmem() / 2 ** 30)} GiB of memory`,
		`Linux ${release().split('-')[0]}`,
	];
	return [
		['Date', new Date().toISOString().slice(0, 10)],
		['Package', readManifest().version],
		['n8n', `${n8nVersion} on Node.js ${n8nNode}, SQLite`],
		['Machine', machine.join(', ')],
		['The run took', `${minutes} minutes`],
	];
}

function goalRows({ title, goals }: Result): string[][] {
	return goals.map(({ text, figure, isMet }) => [title, text, figure, isMet ? 'yes' : '**no**']);
}

function section({ title, about, columns, rows, notes = [], plot }: Result): string[] {
	const image = plot ? [`![${plot.alt}](images/${plot.file})`] : [];
	return [`## ${title}`, about, table(columns, rows), ...image, ...notes];
}
