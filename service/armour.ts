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
	/** What lies between its first and its last line; undefined where one of the two is missing. */
	body?: string;
}

const KINDS: Record<string, ArmourKind> = {
	MESSAGE: 'message',
	PRIVATEKEYBLOCK: 'privateKey',
	PUBLICKEYBLOCK: 'publicKey',
};

/** A block's first or last line. Whoever marks a text with the mouse misses a dash or two. */
const MARKER =
	/[-‐-―−]*\s*(BEGIN|END)\s*PGP\s*(MESSAGE|PRIVATE\s*KEY\s*BLOCK|PUBLIC\s*KEY\s*BLOCK|SIGNED\s*MESSAGE|SIGNATURE)\s*[-‐-―−]*/g;

/** Tags of a first packet (RFC 9580 §5): encrypted session keys, or a secret key. */
const FIRST_TAGS: Record<'message' | 'privateKey', readonly number[]> = {
	message: [1, 3],
	privateKey: [5],
};

/** How far the lines between a block's first line and its data reach at most, in characters. */
const LONGEST_HEADERS = 2_000;

/**
 * Reads an armoured block out of a text that somebody pasted: line breaks may be lost, or have
 * become spaces or a literal `\n`; there may be quote marks, header lines and text around it.
 *
 * @returns the packets, or why there are none
 */
export function readArmour(
	text: string,
	wanted: 'message' | 'privateKey',
): { packets: Uint8Array } | { trouble: ArmourTrouble } {
	const blocks = blocksIn(withoutArtefacts(text));
	const candidates = blocks.filter(({ kind }) => kind === wanted);
	const bodies = candidates.flatMap(({ body }) => body ?? []);
	for (const body of bodies) {
		const packets = packetsIn(body, wanted);
		if (packets) return { packets };
	}
	if (bodies.length > 0) return { trouble: 'damaged' };
	if (candidates.length > 0) return { trouble: 'cutOff' };
	const [other] = blocks;
	return { trouble: other ? { instead: other.kind } : 'nothing' };
}

/** Whether a text holds the first or the last line of an armoured block. */
export function isArmoured(text: string): boolean {
	return /(BEGIN|END)\s*PGP\s*[A-Z]/.test(text);
}

/** Escapes of JSON and of shells become what they stand for; characters without a width go. */
function withoutArtefacts(text: string): string {
	return text
		.replace(/\\+[nrt]/g, '\n')
		.replace(/\\+\//g, '/')
		.replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '');
}

function blocksIn(text: string): Block[] {
	const markers = [...text.matchAll(MARKER)].map((match) => ({
		isBegin: match[1] === 'BEGIN',
		kind: KINDS[(match[2] ?? '').replace(/\s/g, '')] ?? 'other',
		start: match.index,
		end: match.index + match[0].length,
	}));
	return markers.flatMap(({ isBegin, kind, end }, index): Block[] => {
		if (!isBegin) return isEndOf(kind, markers[index - 1]) ? [] : [{ kind }];
		const next = markers[index + 1];
		const isWhole = next !== undefined && !next.isBegin && next.kind === kind;
		return [{ kind, ...(isWhole && { body: text.slice(end, next.start) }) }];
	});
}

function isEndOf(kind: ArmourKind, last?: { isBegin: boolean; kind: ArmourKind }): boolean {
	return last !== undefined && last.isBegin && last.kind === kind;
}

/**
 * The packets in a block's body. Where line breaks were lost, nothing but the data itself tells
 * where the header lines end: they do where the rest has the checksum, or is whole packets.
 */
function packetsIn(body: string, kind: 'message' | 'privateKey'): Uint8Array | undefined {
	const [, characters = '', checksum] =
		/^(.*?)(?:=([A-Za-z0-9+/]{4}))?$/s.exec(body.replace(/[\s>|"'“”‘’,;]/g, '')) ?? [];
	const [, base64 = '', padding = ''] = /([A-Za-z0-9+/]*)(={0,2})$/.exec(characters) ?? [];
	const last = Math.min(base64.length, LONGEST_HEADERS);
	for (let start = 0; start < last; start++) {
		if ((base64.length - start + padding.length) % 4 !== 0) continue;
		const [first = 0] = Buffer.from(base64.slice(start, start + 4), 'base64');
		if (!isFirst(first, kind) && start > 0) continue;
		const data = Buffer.from(base64.slice(start), 'base64');
		const isWhole = checksum === undefined ? isWholePackets(data) : crcOf(data) === checksum;
		if (isWhole) return data;
	}
	return undefined;
}

function isFirst(header: number, kind: 'message' | 'privateKey'): boolean {
	const { tag, isUnbounded } = readTag(header);
	return !isUnbounded && FIRST_TAGS[kind].includes(tag);
}

/** The two forms of a packet's first octet (RFC 9580 §4.2); NaN where it is neither. */
function readTag(header: number): { tag: number; isNew: boolean; isUnbounded: boolean } {
	const isNew = (header & 0xc0) === 0xc0;
	if (isNew) return { tag: header & 0x3f, isNew, isUnbounded: false };
	const tag = header & 0x80 ? (header >> 2) & 0x0f : NaN;
	return { tag, isNew, isUnbounded: (header & 3) === 3 };
}

/** Whether the data is packets that end just where it ends. */
function isWholePackets(data: Buffer): boolean {
	let position = 0;
	while (position < data.length) {
		const { tag, isNew, isUnbounded } = readTag(data[position++] ?? 0);
		if (Number.isNaN(tag)) return false;
		if (!isNew && isUnbounded) return true;
		position = isNew
			? afterNewPacket(data, position)
			: afterOldPacket(data, position, data[position - 1] ?? 0);
	}
	return position === data.length;
}

/** Where a packet with a length of 1, 2 or 4 octets ends (RFC 9580 §4.2.2). */
function afterOldPacket(data: Buffer, position: number, header: number): number {
	const octets = 1 << (header & 3);
	if (position + octets > data.length) return Infinity;
	return position + octets + data.readUIntBE(position, octets);
}

/** Where a packet ends whose length is in one of the newer forms, or in parts (RFC 9580 §4.2.1). */
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
