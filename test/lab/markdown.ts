import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './paths';

export function table(columns: string[], rows: string[][]): string {
	return [row(columns), row(columns.map(() => '---')), ...rows.map(row)].join('\n');
}

export function row(cells: string[]): string {
	return `| ${cells.join(' | ')} |`;
}

/** Writes a page that a command makes, in the format that the linter wants. */
export function writePage(file: string, text: string): void {
	writeFileSync(file, text);
	const prettier = join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs');
	execFileSync(process.execPath, [prettier, '--write', '--log-level', 'warn', file], { cwd: root });
}
