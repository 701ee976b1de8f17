/**
 * Matches the dashes in the first or last line of an armoured (base64) OpenPGP block. Mail programs turn two short
 * dashes into a long one.
 */
const DASHES = '[-‐-―−]*';

/**
 * Matches the first base64 characters of an encrypted message or a private key: a packet with session keys (tags 1 and
 * 3) or a secret key (tag 5), in the older or the newer packet format (RFC 9580 §4.2, §5).
 */
const BEGINNING = /^(?:[hjl][A-Za-f]|w[Q-Za-fw-z\d+/]|x[Q-Za-f])/;

/** True if a text contains the first or the last line of an armoured (base64) OpenPGP block. */
export function isArmoured(text: string): boolean {
	return /(?:BEGIN|END) PGP /.test(text);
}

/**
 * Returns the binary data of each OpenPGP block with this name. Other text may surround a block, and line breaks may be
 * missing, because n8n's password field removes them from a pasted text. OpenPGP.js checks later whether the data of a
 * block is complete.
 */
export function blocksIn(text: string, name: 'MESSAGE' | 'PRIVATE KEY BLOCK'): Uint8Array[] {
	const block = new RegExp(`BEGIN PGP ${name}${DASHES}(.*?)${DASHES}END PGP ${name}`, 'gs');
	return [...text.matchAll(block)].map(([, body = '']) => Buffer.from(base64In(body), 'base64'));
}

/** Returns the base64 data of a block, without header lines such as “Version: …”, line breaks and the checksum. */
function base64In(body: string): string {
	const [, afterHeaders = body] = /^\s*(?:[A-Za-z]+: .*\r?\n)+([^]+)$/.exec(body) ?? [];
	const characters = afterHeaders.replace(/\\[nr]|[\s>]/g, '').replace(/=[\w+/]{4}$/, '');
	const [data = ''] = /[A-Za-z\d+/]*=*$/.exec(characters) ?? [];
	if (!characters.includes(':')) return data;
	// If the block has lost its line breaks, its last header line runs straight into the base64 data. The data then
	// begins at the first position where an encrypted message or a private key could begin.
	let start = data.length % 4;
	while (start < data.length && !BEGINNING.test(data.slice(start, start + 2))) start += 4;
	return data.slice(start);
}
