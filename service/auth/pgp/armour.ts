/** Matches the dashes of an armour line. Mail programs turn two short dashes into a long one. */
const DASHES = '[-‐-―−]*';

/**
 * Matches the first characters, in base64, of an encrypted message or a private key: a packet of session keys (tags 1
 * and 3) or a secret key (tag 5), in the older or the newer form (RFC 9580 §4.2, §5).
 */
const BEGINNING = /^(?:[hjl][A-Za-f]|w[Q-Za-fw-z\d+/]|x[Q-Za-f])/;

/** True if a text contains the first or the last line of an armoured block. */
export function isArmoured(text: string): boolean {
	return /(?:BEGIN|END) PGP /.test(text);
}

/**
 * The data of each whole block with this name. There may be text around a block, and n8n's password field strips
 * every line break from what a person pastes. OpenPGP.js decides whether a block is whole.
 */
export function blocksIn(text: string, name: 'MESSAGE' | 'PRIVATE KEY BLOCK'): Uint8Array[] {
	const block = new RegExp(`BEGIN PGP ${name}${DASHES}(.*?)${DASHES}END PGP ${name}`, 'gs');
	return [...text.matchAll(block)].map(([, body = '']) => Buffer.from(base64In(body), 'base64'));
}

/** The base64 data of a block, without header lines such as “Version: …”, line breaks and checksum. */
function base64In(body: string): string {
	const [, afterHeaders = body] = /^\s*(?:[A-Za-z]+: .*\r?\n)+([^]+)$/.exec(body) ?? [];
	const characters = afterHeaders.replace(/\\[nr]|[\s>]/g, '').replace(/=[\w+/]{4}$/, '');
	const [data = ''] = /[A-Za-z\d+/]*=*$/.exec(characters) ?? [];
	if (!characters.includes(':')) return data;
	// If the line breaks are gone, the end of the last header line is in front of the data.
	let start = data.length % 4;
	while (start < data.length && !BEGINNING.test(data.slice(start, start + 2))) start += 4;
	return data.slice(start);
}
