// @ts-check
// The figures as a table, in the terminal and in docs/benchmark.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem } from 'node:os';
import { join } from 'node:path';

import { manifest, root } from '../../scripts/lib/paths.mjs';

/**
 * @typedef {{ text: string, figure: string, isMet: boolean }} Goal
 *
 * @typedef {object} Result what a case has found
 * @property {string} title
 * @property {string} about what was done, in a sentence or two
 * @property {string[]} columns
 * @property {string[][]} rows
 * @property {Goal[]} goals
 * @property {string[]} [notes] what the figures do not say by themselves
 * @property {{ file: string, alt: string, svg: string }} [plot] `file` is its name in docs/images
 */

const PAGE = join(root, 'docs', 'benchmark.md');
const IMAGES = join(root, 'docs', 'images');

/** @param {number} ratio */
export const times = (ratio) => `${ratio.toFixed(2)} ×`;

/** @param {number} value */
export const whole = (value) => value.toLocaleString('en-GB', { maximumFractionDigits: 0 });

/** @param {number} value */
export const tenths = (value) => value.toFixed(1);

/**
 * @param {Result} result
 * @param {boolean} isJudged whether there were rounds enough to say that a goal is met
 */
export function print({ title, columns, rows, goals, notes = [] }, isJudged) {
	console.log(`\n${title}`);
	console.table(
		rows.map((row) =>
			Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ''])),
		),
	);
	for (const { text, figure, isMet } of goals)
		console.log(`${isJudged ? (isMet ? 'met   ' : 'MISSED') : 'goal  '}  ${text}: ${figure}`);
	for (const note of notes) console.log(note);
}

/**
 * Writes docs/benchmark.md and its plots.
 *
 * @param {Result[]} results
 * @param {{ rounds: number, n8nVersion: string, n8nNode: string, minutes: number }} run
 */
export function write(results, run) {
	mkdirSync(IMAGES, { recursive: true });
	for (const { plot } of results)
		if (plot) writeFileSync(join(IMAGES, plot.file), `${plot.svg.trim()}\n`);
	writeFileSync(PAGE, `${[...head(results, run), ...results.flatMap(section)].join('\n\n')}\n`);
	const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
	execFileSync(process.execPath, [prettier, '--write', '--log-level', 'warn', PAGE], { cwd: root });
	console.log('\nWritten to docs/benchmark.md, its plots to docs/images.');
}

/**
 * @param {Result[]} results
 * @param {{ rounds: number, n8nVersion: string, n8nNode: string, minutes: number }} run
 */
function head(results, { rounds, n8nVersion, n8nNode, minutes }) {
	const goals = results.flatMap(({ title, goals: all }) =>
		all.map((goal) => [title, goal.text, goal.figure, goal.isMet ? 'yes' : '**no**']),
	);
	const machine = [
		`${cpus().length} cores (${arch()})`,
		`${whole(totalmem() / 2 ** 30)} GiB of memory`,
		`Linux ${release().split('-')[0]}`,
	];
	return [
		'# Benchmark',
		`The nodes of this package beside n8n’s own HTTP Request node with its OAuth2 credential (client credentials), in a real n8n, against the sandbox service on the same machine, in turn in one run. Figures are medians of ${rounds} unless a row says otherwise. \`npm run bench\` makes this page and ends with an error if a goal is missed; \`npm run bench -- --quick\` takes under two minutes, prints the figures of one round and changes nothing here.`,
		table(
			['', ''],
			[
				['Date', new Date().toISOString().slice(0, 10)],
				['Package', manifest().version],
				['n8n', `${n8nVersion} on Node.js ${n8nNode}, SQLite`],
				['Machine', machine.join(', ')],
				['The run took', `${minutes} minutes`],
			],
		),
		'Wall times are taken outside n8n with a monotonic clock, from the call of a workflow’s webhook to its answer. Node times are those that n8n stores with an execution. CPU time and memory of n8n are the operating system’s.',
		'## Goals',
		table(['Case', 'Goal', 'Measured', 'Met'], goals),
	];
}

/** @param {Result} result */
function section({ title, about, columns, rows, notes = [], plot }) {
	const image = plot ? [`![${plot.alt}](images/${plot.file})`] : [];
	return [`## ${title}`, about, table(columns, rows), ...image, ...notes];
}

/**
 * @param {string[]} columns
 * @param {string[][]} rows
 */
function table(columns, rows) {
	/** @param {string[]} cells */
	const line = (cells) => `| ${cells.join(' | ')} |`;
	return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}
