/** @returns a table of two columns or more; the first one heads its row */
export function table(rows: string[][], head: (name: string) => string = escaped): string {
	const lines = rows.map(([name = '', ...values]) => {
		const cells = values.map((value) => `<td>${escaped(value)}</td>`);
		return `<tr><th scope="row">${head(name)}</th>${cells.join('')}</tr>`;
	});
	return `<div class="scrolls" tabindex="0"><table>${lines.join('\n')}</table></div>`;
}

export function choice(name: string, values: readonly string[], chosen?: string): string {
	const options = values.map(
		(each) => `<option${each === chosen ? ' selected' : ''}>${escaped(each)}</option>`,
	);
	return `<select name="${name}">${options.join('')}</select>`;
}

/** A part that the page renews by itself. */
export function live(id: string, content: string): string {
	return `<div id="${id}" data-live>${content}</div>`;
}

/** Where a card says what its buttons have done. Screen readers read it out. */
export const SAID = '<p class="said" role="status"></p>';

export interface Value {
	label: string;
	value: string;
	note?: string;
}

/**
 * Values to be copied.
 *
 * @param of what they belong to, for people who hear the buttons instead of seeing them
 */
export function values(rows: Value[], of: string): string {
	const lines = rows.map(({ label, value, note }) => {
		const name = escaped(`Copy ${label} of ${of}`);
		const remark = note === undefined ? '' : `<small>${escaped(note)}</small>`;
		return `<div><dt>${escaped(label)}</dt><dd><code>${escaped(value)}</code> <button type="button" class="copy" aria-label="${name}">Copy</button>${remark}</dd></div>`;
	});
	return `<dl>${lines.join('\n')}</dl>`;
}

interface Button {
	label: string;
	/** Of the control surface: `POST leads`. */
	action: string;
	input: Record<string, unknown>;
	/** What to expect in n8n. */
	expect: string;
}

/** A button that does one thing, and then says what has happened and what to expect. */
export function button({ label, action, input, expect }: Button): string {
	const [method, name] = action.split(' ');
	return `<button type="button" class="act" data-method="${method}" data-name="${name}" data-input="${escaped(JSON.stringify(input))}" data-expect="${escaped(expect)}">${escaped(label)}</button>`;
}

/** @returns a moment; the page shows it in the time zone of the browser */
export function moment(iso: string): string {
	return `<time datetime="${iso}">${iso}</time>`;
}

export function escaped(value: string): string {
	return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
