/** @returns the ways in which a service may repeat a text that it was sent */
export function spellings(text: string): string[] {
	const percent = encodeURIComponent(text);
	const inForm = new URLSearchParams([['', text]]).toString().slice(1);
	const lower = (encoded: string) => encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
	const html = text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
	const bytes = Buffer.from(text, 'utf8');
	const all = [text, JSON.stringify(text).slice(1, -1), percent, lower(percent), inForm];
	return [
		...new Set([
			...all,
			lower(inForm),
			html,
			bytes.toString('base64'),
			bytes.toString('base64url'),
		]),
	];
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
