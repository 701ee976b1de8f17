import { html } from './http';
import type { Answer } from './types';

export const BASE = '/_sandbox';

const STYLE = `body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 1rem auto; padding: 0 1rem }
form, table { margin: 0.5rem 0; max-width: 100%; overflow-x: auto; display: block }
label { margin-right: 1rem } th, td { text-align: left; padding: 0 1rem 0 0; vertical-align: top }
h2 { margin-top: 2rem } .small { color: GrayText; font-size: 0.875rem } .often { font-weight: bold; color: #c33 }
code { user-select: all; overflow-wrap: anywhere } pre { white-space: pre-wrap; margin: 0.5rem 0 }
[role=status] { border-left: 4px solid; padding-left: 1rem } :root { color-scheme: light dark }`;

/** Text that stands in a page as it is. */
export class Markup {
	constructor(readonly text: string) {}
}

type Cell = string | Markup;

export function page(title: string, body: string): Answer {
	return html(
		200,
		`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<title>${title}</title><style>${STYLE}</style></head><body>
<h1>${title}</h1>
${body}
</body></html>
`,
	);
}

export function form(action: string, label: string, fields: string): string {
	return `<form method="post" action="${BASE}/${action}">${fields} <button>${label}</button></form>`;
}

export function input(name: string, label: string): string {
	return `<label>${label} <input name="${name}" autocomplete="off"></label>`;
}

export function choice(name: string, label: string, values: readonly string[]): string {
	const options = values.map((each) => `<option>${each}</option>`);
	return `<label>${label} <select name="${name}">${options.join('')}</select></label>`;
}

/** A table, or what to say if there is nothing to list. */
export function table(heads: string[], rows: Cell[][], none = ''): string {
	if (rows.length === 0) return `<p class="small">${none}</p>`;
	const row = (cells: string[]) => `<tr>${cells.join('')}</tr>`;
	const head = row(heads.map((each) => `<th>${each}</th>`));
	const body = rows.map((cells) => row(cells.map((each) => `<td>${marked(each)}</td>`)));
	return `<table>${head}${body.join('\n')}</table>`;
}

export function details(summary: string, content: string): Markup {
	return new Markup(`<details><summary>${escaped(summary)}</summary>${content}</details>`);
}

export function timeText(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function escaped(value: string): string {
	return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function marked(cell: Cell): string {
	return cell instanceof Markup ? cell.text : escaped(cell);
}
