import { describe, expect, it } from '@jest/globals';

import { readArmour } from '../../../../../service/auth/pgp/armour';

/** The packets of each block in base64, which is shorter to look at than octets, or the trouble. */
function read(text: string, wanted: 'message' | 'privateKey') {
	const found = readArmour(text, wanted);
	return 'blocks' in found ? found.blocks.map(base64) : found;
}

function base64(packets: Uint8Array): string {
	return Buffer.from(packets).toString('base64');
}

describe('armour made by hand', () => {
	const SESSION_KEY = Buffer.from([0xc1, 1, 3]);

	/** What is encrypted: its version, and octets that are no packets. */
	function content(length: number): Buffer {
		return Buffer.alloc(length, 0x7f).fill(1, 0, 1);
	}

	function armour(packets: Buffer, headers = ''): string {
		return `-----BEGIN PGP MESSAGE-----${headers}\n\n${base64(packets)}\n-----END PGP MESSAGE-----`;
	}

	function packet(octets: number[], length: number): Buffer {
		return Buffer.concat([Buffer.from(octets), content(length)]);
	}

	it.each<[string, Buffer]>([
		['one octet', packet([0xd2, 191], 191)],
		['two octets', packet([0xd2, 192, 0], 192)],
		['two octets, the longest', packet([0xd2, 223, 255], 8383)],
		['five octets', packet([0xd2, 255, 0, 0, 0x30, 0x39], 12345)],
		[
			'parts',
			Buffer.concat([packet([0xd2, 0xe9], 512), packet([0xe1], 2), packet([192, 10], 202)]),
		],
		['one octet of the older form', packet([0xa4, 200], 200)],
		['two octets of the older form', packet([0xa5, 1, 0], 256)],
		['four octets of the older form', packet([0xa6, 0, 1, 0, 0], 65536)],
		['the older form without an end', packet([0xa7], 300)],
	])('is read where a packet has a length of %s', (_, encrypted) => {
		const packets = Buffer.concat([SESSION_KEY, encrypted]);

		expect(read(armour(packets), 'message')).toEqual([base64(packets)]);

		if (encrypted[0] === 0xa7) return;

		for (const changed of [packets.subarray(0, -1), Buffer.concat([packets, content(1)])]) {
			expect(read(armour(changed), 'message')).toEqual({ trouble: 'damaged' });
		}
	});

	it('is read below long header lines, with line breaks and without', () => {
		const packets = Buffer.concat([SESSION_KEY, packet([0xd2, 100], 100)]);

		const text = armour(packets, `\nComment: ${'much to say, '.repeat(100)}`);

		expect(read(text, 'message')).toEqual([base64(packets)]);
		expect(read(text.replace(/\n/g, ''), 'message')).toEqual([base64(packets)]);
	});

	it('is damaged where so much stands above the data that no header lines can be meant', () => {
		const packets = Buffer.concat([SESSION_KEY, packet([0xd2, 100], 100)]);

		const below = (characters: number) =>
			read(armour(packets, `\n${'a'.repeat(characters)}`).replace(/\n/g, ''), 'message');

		expect(below(1_996)).toEqual([base64(packets)]);
		expect(below(2_000)).toEqual({ trouble: 'damaged' });
	});

	it.each([
		['another first line', '-----BEGIN PGP MESSAGE-----'],
		['the last line of another block', '-----END PGP PRIVATE KEY BLOCK-----'],
	])('is cut off where %s stands in place of its last one', (_, line) => {
		const packets = Buffer.concat([SESSION_KEY, packet([0xd2, 100], 100)]);

		const text = armour(packets).replace('-----END PGP MESSAGE-----', line);

		expect(read(text, 'message')).toEqual({ trouble: 'cutOff' });
	});

	it.each([
		['one of two octets', [0xa5, 1]],
		['one of four octets', [0xa6, 0, 0]],
		['a user ID’s, at the very end', [0xa6]],
	])('is damaged where it ends within the length of a packet: %s', (_, octets) => {
		const packets = Buffer.concat([SESSION_KEY, Buffer.from(octets)]);

		expect(read(armour(packets), 'message')).toEqual({ trouble: 'damaged' });
	});

	it('is not read where a packet begins as none does', () => {
		const packets = Buffer.concat([SESSION_KEY, Buffer.from([0xd2, 2, 9, 9])]);

		expect(read(armour(packets), 'message')).toEqual({ trouble: 'damaged' });
	});
});
