/** @returns a table of two columns or more; the first one heads its row */
export function table(rows: string[][], head: (name: string) => string = escaped): string {
	const lines = rows.map(([name = '', ...values]) => {
		const cells = values.map((value) => `<td>${escaped(value)}</td>`);
		return `<tr><th>${head(name)}</th>${cells.join('')}</tr>`;
	});
	return `<table>${lines.join('\n')}</table>`;
}

export function choice(name: string, values: string[], chosen?: string): string {
	const options = values.map(
		(each) => `<option${each === chosen ? ' selected' : ''}>${escaped(each)}</option>`,
	);
	return `<select name="${name}">${options.join('')}</select>`;
}

export function escaped(value: string): string {
	return value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
