/** What an armoured block can be (RFC 9580 §6.2); `other` are signatures and signed texts. */
export type ArmourKind = 'message' | 'privateKey' | 'publicKey' | 'other';

/** Why a text does not hold the wanted block. */
export type ArmourTrouble =
	| 'nothing'
	/** Its first or its last line is missing. */
	| 'cutOff'
	/** Something in between is. */
	| 'damaged'
	| { instead: ArmourKind };

interface Block {
	kind: ArmourKind;
	/** What lies between its first and its last line; undefined if one of the two is missing. */
	body?: string;
}

const KINDS: Record<string, ArmourKind> = {
	MESSAGE: 'message',
	PRIVATEKEYBLOCK: 'privateKey',
	PUBLICKEYBLOCK: 'publicKey',
};

/** A block's first or last line. People who mark a text with the mouse miss a dash or two. */
const MARKER =
	/(BEGIN|END)\s*PGP\s*(MESSAGE|PRIVATE\s*KEY\s*BLOCK|PUBLIC\s*KEY\s*BLOCK|SIGNED\s*MESSAGE|SIGNATURE)\s*[-‐-―−]*/g;

/** Tags of packets (RFC 9580 §5): those that a block can begin with, contain and end with. */
interface Grammar {
	first: number[];
	all: number[];
	last: number[];
}

/** Session keys and what they encrypt. */
const ENCRYPTED: Grammar = { first: [1, 3], all: [1, 3, 9, 10, 18, 20, 21], last: [9, 18, 20, 21] };

/** A message that is not encrypted. Only by reading it can it be told from a damaged one. */
const OPEN: Grammar = { first: [2, 4, 8, 11], all: [2, 4, 8, 10, 11, 21], last: [2, 8, 11, 21] };

/** A secret key with its user IDs, subkeys and signatures. */
const SECRET_KEY: Grammar = { first: [5], all: [2, 5, 7, 10, 12, 13, 17, 21], last: [2, 5, 7, 21] };

/** How a packet's content can begin, mostly with its version (RFC 9580 §5). Random data seldom does. */
const FIRST_OCTETS: Record<number, number[]> = {
	1: [3, 6],
	2: [3, 4, 5, 6],
	3: [4, 5, 6],
	4: [3, 6],
	5: [3, 4, 5, 6],
	7: [3, 4, 5, 6],
	8: [0, 1, 2, 3],
	11: [...Buffer.from('btulm')],
	18: [1, 2],
	20: [1],
};

/** Packets that contain other data. In the older form of lengths they may go on to the end. */
const UNBOUNDED_TAGS = [8, 9, 11];

/** How long the header lines between a block's first line and its data can be together, in characters. */
const LONGEST_HEADERS = 2_000;

/** Header lines seldom look like packets. If they seem to so often, the block is damaged. */
const MOST_CHECKSUMS = 10;

/** What mail programs write for characters that mean something in HTML. Any other one becomes a space. */
const ARMOUR_ENTITIES: Record<string, string> = { lt: '<', gt: '>' };

/**
 * Reads the armoured blocks in a text that somebody pasted. Line breaks may be lost, or may have
 * become spaces, tags or a literal `\n`; there may be quote marks, header lines and text around the
 * blocks. Whatever the text is, the time grows with its length and no faster.
 *
 * @returns the packets of each block that is whole, at least one, or why there is none
 */
export function readArmour(
	text: string,
	wanted: 'message' | 'privateKey',
): { blocks: Uint8Array[] } | { trouble: ArmourTrouble } {
	const blocks = blocksIn(withoutArtefacts(text));
	const candidates = blocks.filter(({ kind }) => kind === wanted);
	const bodies = candidates.flatMap(({ body }) => body ?? []);
	const whole = bodies.flatMap((body) => packetsIn(body, wanted) ?? []);
	if (whole.length > 0) return { blocks: whole };
	if (bodies.length > 0) return { trouble: 'damaged' };
	if (candidates.length > 0) return { trouble: 'cutOff' };
	const [other] = blocks;
	return { trouble: other ? { instead: other.kind } : 'nothing' };
}

/** Whether a text holds the first or the last line of an armoured block. */
export function isArmoured(text: string): boolean {
	return /(BEGIN|END)\s*PGP\s*[A-Z]/.test(text);
}

/** Decodes the escapes of JSON, shells and HTML, and drops characters without a width. */
function withoutArtefacts(text: string): string {
	return text
		.replace(/\\[nrt]/g, '\n')
		.replace(/[\\\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
		.replace(/&(?:#(\d{1,4})|(lt|gt|nbsp|quot|amp));/g, (_, code?: string, name = '') =>
			code === undefined
				? (ARMOUR_ENTITIES[String(name)] ?? ' ')
				: String.fromCharCode(Number(code)),
		);
}

/** A last line counts as a block without a body. If its first line is there, nobody looks at that one. */
function blocksIn(text: string): Block[] {
	const markers = [...text.matchAll(MARKER)].map((match) => ({
		isBegin: match[1] === 'BEGIN',
		kind: KINDS[(match[2] ?? '').replace(/\s/g, '')] ?? 'other',
		start: match.index,
		end: match.index + match[0].length,
	}));
	return markers.flatMap(({ isBegin, kind, end }, index): Block[] => {
		if (!isBegin) return [{ kind }];
		const next = markers[index + 1];
		const isWhole = next !== undefined && !next.isBegin && next.kind === kind;
		return [{ kind, ...(isWhole && { body: text.slice(end, next.start) }) }];
	});
}

/**
 * The packets in a block's body. If line breaks were lost, only the data tells where the header lines
 * end: at the place after which all the rest is whole packets and matches the checksum.
 */
function packetsIn(body: string, wanted: 'message' | 'privateKey'): Uint8Array | undefined {
	const [, characters = '', checksum] =
		/^(.*?)(?:=([A-Za-z0-9+/]{4}))?$/s.exec(armourCharacters(body)) ?? [];
	const [, base64 = '', padding = ''] =
		/(?<![A-Za-z0-9+/])([A-Za-z0-9+/]*)(={0,2})$/.exec(characters) ?? [];
	const excess = (base64.length + padding.length) % 4;
	const data = Buffer.from(base64.slice(excess), 'base64');
	const hasChecksum = (packets: Buffer) => checksum === undefined || crcOf(packets) === checksum;

	const grammar = wanted === 'message' ? ENCRYPTED : SECRET_KEY;
	const last = Math.min(data.length, (LONGEST_HEADERS / 4) * 3);
	for (let start = 0, tries = 0; start < last && tries < MOST_CHECKSUMS; start += 3) {
		const packets = data.subarray(start);
		if (!isWholePackets(packets, grammar)) continue;
		if (hasChecksum(packets)) return packets;
		tries++;
	}
	const isOpen = wanted === 'message' && isWholePackets(data, OPEN) && hasChecksum(data);
	return isOpen ? data : undefined;
}

/** A body without what does not belong to armour: spaces, tags, marks of a quotation. */
function armourCharacters(body: string): string {
	const text = body.replace(/<\/?[a-z][^<>\r\n]{0,200}>/gi, '');
	const characters = withoutOthers(text);
	// Quoted-printable (RFC 2045 §6.7) writes = as =3D: a checksum has four characters, not six.
	if (!/=3D[A-Za-z0-9+/]{4}$/.test(characters)) return characters;
	// It also ends a line with = to go on with it in the next one, which may begin with 3D as well.
	const joined = withoutOthers(text.replace(/=\s+/g, ''));
	return joined.replace(/=(3D)?/g, (_, sign?: string) => (sign ? '=' : ''));
}

function withoutOthers(text: string): string {
	return text.replace(/[^A-Za-z0-9+/=]/g, '');
}

/** Reads either form of a packet's first octet (RFC 9580 §4.2); the tag is NaN if it is neither. */
function readTag(header: number): { tag: number; isNew: boolean; isUnbounded: boolean } {
	const isNew = (header & 0xc0) === 0xc0;
	if (isNew) return { tag: header & 0x3f, isNew, isUnbounded: false };
	const tag = header & 0x80 ? (header >> 2) & 0x0f : NaN;
	return { tag, isNew, isUnbounded: (header & 3) === 3 };
}

/** Whether the data is packets of the grammar, and the last one ends where the data ends. */
function isWholePackets(data: Buffer, { first, all, last }: Grammar): boolean {
	if (!first.includes(readTag(data[0] ?? 0).tag)) return false;
	let position = 0;
	let tag = NaN;
	while (position < data.length) {
		const header = data[position++] ?? 0;
		const form = readTag(header);
		tag = form.tag;
		if (!all.includes(tag)) return false;
		const length = data[position] ?? 0;
		const content = position + (form.isNew ? newLengthOctets(length) : oldLengthOctets(header));
		if (FIRST_OCTETS[tag]?.includes(data[content] ?? NaN) === false) return false;
		if (form.isUnbounded) return UNBOUNDED_TAGS.includes(tag);
		position = form.isNew ? afterNewPacket(data, position) : afterOldPacket(data, position, header);
	}
	return position === data.length && last.includes(tag);
}

/** How many octets the length has in the older form; none if the packet goes on to the end. */
function oldLengthOctets(header: number): number {
	return (header & 3) === 3 ? 0 : 1 << (header & 3);
}

/** How many octets the length has in the newer form, by its first one. */
function newLengthOctets(first: number): number {
	if (first === 255) return 5;
	return first < 192 || first >= 224 ? 1 : 2;
}

/** Where a packet with a length of 1, 2 or 4 octets ends (RFC 9580 §4.2.2). */
function afterOldPacket(data: Buffer, position: number, header: number): number {
	const octets = oldLengthOctets(header);
	if (position + octets > data.length) return Infinity;
	return position + octets + data.readUIntBE(position, octets);
}

/** Where a packet with a newer form of length ends; the packet may come in parts (RFC 9580 §4.2.1). */
function afterNewPacket(data: Buffer, position: number): number {
	for (let at = position; at < data.length;) {
		const first = data[at] ?? 0;
		if (first < 192) return at + 1 + first;
		if (first < 224) return at + 2 + ((first - 192) << 8) + (data[at + 1] ?? NaN) + 192;
		if (first === 255) {
			return at + 5 <= data.length ? at + 5 + data.readUInt32BE(at + 1) : Infinity;
		}
		at += 1 + 2 ** (first & 0x1f);
	}
	return Infinity;
}

/** The checksum below the data, as armour has it (RFC 9580 §6.1). */
function crcOf(data: Buffer): string {
	let crc = 0xb704ce;
	for (const octet of data) {
		crc ^= octet << 16;
		for (let bit = 0; bit < 8; bit++) {
			crc <<= 1;
			if (crc & 0x1000000) crc ^= 0x1864cfb;
		}
	}
	return Buffer.from([crc >> 16, crc >> 8, crc]).toString('base64');
}
