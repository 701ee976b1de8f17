// @ts-check

/**
 * @param {string} text
 * @returns {string[]} the ways in which a service may write a text that it was sent
 */
function spellings(text) {
	const percent = encodeURIComponent(text);
	const inForm = new URLSearchParams([['', text]]).toString().slice(1);
	const lower = (/** @type {string} */ encoded) =>
		encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase());
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

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

module.exports = { spellings };
