import { randomBytes } from 'node:crypto';

import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import { readArmour } from '../../../../../service/auth/pgp/armour';
import { decryptSecret } from '../../../../../service/auth/pgp/decryption';
import { Gpg } from '../../../../lab/gpg';
import fc from '../../../../lab/properties';

jest.setTimeout(60_000);

const PASSPHRASE = 'open sesame';

interface Sample {
	wanted: 'message' | 'privateKey';
	/** As gpg wrote it. */
	armour: string;
	/** The same without armour, as gpg sees it. */
	packets: Buffer;
	/** What opens it. */
	key: string;
}

/** What befalls a block between the operator's mail and the field. */
interface Mangling {
	lineBreak: string;
	headers: string[];
	hasChecksum: boolean;
	quotes: [string, string];
	above: string;
	below: string;
	/** In front of each line, where lines are left. */
	prefix: string;
	/** In place of each dash of the first and the last line. */
	dash: string;
	encoding: Encoding;
}

type Encoding = 'none' | 'json' | 'zeroWidth' | 'quotedPrintable';

const samples: Sample[] = [];

/** One whose data holds characters that look like an escape of quoted-printable. */
let lookalike: Sample;

beforeAll(async () => {
	const gpg = await Gpg.create(['s2k-count 650000']);
	try {
		for (const [userId, algorithm] of [
			['modern@example.com', 'future-default'],
			['classic@example.com', 'rsa2048'],
		] as const) {
			const isModern = algorithm === 'future-default';
			const id = await gpg.makeKey(userId, PASSPHRASE, algorithm, {
				usage: isModern ? 'default' : 'sign,encr',
			});
			const key = await gpg.exportPrivate([id], PASSPHRASE);
			await add('privateKey', key, key);
			for (const secret of ['s3cret', 'a much longer secret, for another padding', '']) {
				await add('message', await gpg.encrypt(secret, id), key);
			}
			const options = ['--throw-keyids', '--cipher-algo', 'AES'];
			await add('message', await gpg.encrypt('s', id, options), key);
			while (!isModern && !lookalike) {
				const armour = await gpg.encrypt(randomBytes(1_000).toString('hex'), id);
				if (armour.includes('3D')) lookalike = await sampleOf('message', armour, key);
			}
		}
	} finally {
		await gpg.remove();
	}

	async function add(...parts: Parameters<typeof sampleOf>) {
		samples.push(await sampleOf(...parts));
	}

	async function sampleOf(wanted: Sample['wanted'], armour: string, key: string): Promise<Sample> {
		return { wanted, armour, packets: await gpg.run(['--dearmor'], { input: armour }), key };
	}
}, 60_000);

const sample = fc.nat().map((index): Sample => {
	const found = samples[index % samples.length];
	if (!found) throw new Error('There is no sample');
	return found;
});

/** Lines as mail programs and PGP tools put them there. */
const header = fc.oneof(
	fc.constantFrom(
		'Version: GnuPG v2',
		'Version: GnuPG v2.0.22 (GNU/Linux)',
		'Version: BCPG C# v1.6.1.0',
		'Comment: https://example.com/secrets?for=agency&x=1',
		'Comment: Sent by "Olive" <olive@example.com>',
		'Charset: UTF-8',
		'Hash: SHA256',
	),
	fc.stringMatching(/^Comment: [ -~]{1,60}$/),
);

/** Text that holds no armour of its own. */
const surroundings = fc.oneof(
	fc.constantFrom('', 'Hello,\nhere is your secret:\n\n', '-- \nThe operator, Leeds\n', '   \n\n'),
	fc.string({ maxLength: 80, unit: 'grapheme' }),
);

const mangling: fc.Arbitrary<Mangling> = fc.record({
	lineBreak: fc.constantFrom(
		'\n',
		'',
		' ',
		'\\n',
		'\r\n',
		'\\r\\n',
		'\r',
		'\n\n',
		'\t',
		'\\t',
		'\\\\n',
		'\u2028',
		'<br>',
		'<br />\n',
		'</p>\n<p class="mail">',
		'&lt;br&gt;',
		'&nbsp;',
		'&#13;&#10;',
		'\u200b',
		'\u200e\n',
		' \n',
	),
	headers: fc.array(header, { maxLength: 3 }),
	hasChecksum: fc.boolean(),
	quotes: fc.constantFrom<[string, string][]>(
		['', ''],
		['"', '"'],
		["'", "'"],
		['“', '”'],
		['`', '`'],
	),
	above: surroundings,
	below: surroundings,
	prefix: fc.constantFrom('', '> ', '    ', '| ', '&gt; ', '\ufeff'),
	dash: fc.constantFrom('-', '–', '—', '−', ''),
	encoding: fc.constantFrom<Encoding>('none', 'json', 'zeroWidth', 'quotedPrintable'),
});

function mangle(armour: string, how: Mangling): string {
	const [first = '', ...rest] = armour.trim().split('\n');
	const body = rest.slice(rest.indexOf('') + 1);
	const lines = [
		first,
		...how.headers,
		'',
		...body.filter((line) => how.hasChecksum || !/^=[^=]{4}$/.test(line)),
	];
	const prefix = /^\s*\n/.test(how.lineBreak) || how.lineBreak === '\r\n' ? how.prefix : '';
	const dashed = lines.map((line) =>
		line.replace(/^-+|-+$/g, (dashes) => how.dash.repeat(dashes.length)),
	);
	const block = dashed.map((line) => prefix + encode(line, how)).join(how.lineBreak);
	return `${how.above}${how.quotes[0]}${block}${how.quotes[1]}${how.below}`;
}

/** The packets of each block in base64, which is shorter to look at than octets, or the trouble. */
function read(text: string, wanted: Sample['wanted']) {
	const found = readArmour(text, wanted);
	return 'blocks' in found ? found.blocks.map(base64) : found;
}

function base64(packets: Uint8Array): string {
	return Buffer.from(packets).toString('base64');
}

function encode(line: string, { encoding, hasChecksum }: Mangling): string {
	if (encoding === 'json') return line.replace(/\//g, '\\/');
	if (encoding === 'zeroWidth') return line.replace(/.{4}/g, '$&\u200b');
	// Where there is no checksum, nothing tells this from plain armour.
	if (encoding === 'none' || !hasChecksum) return line;
	return line.replace(/=/g, '=3D').replace(/(.{60})(?=.)/g, '$1=\n');
}

describe('armour that went through mail, chat and a form', () => {
	it('is read as gpg reads what it was before', () => {
		fc.assert(
			fc.property(sample, mangling, ({ wanted, armour, packets }, how) => {
				expect(read(mangle(armour, how), wanted)).toEqual([base64(packets)]);
			}),
			{ numRuns: 3_000 },
		);
	});

	it('is read where quoted-printable has broken a line before characters that look like an escape', () => {
		const { armour, wanted, packets } = lookalike;
		const broken = armour.replace(/=/g, '=3D').replace('3D', '=\n3D');

		expect(read(broken, wanted)).toEqual([base64(packets)]);
	});

	it('is read in the midst of other blocks', () => {
		fc.assert(
			fc.property(
				fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
				fc.array(mangling, { minLength: 10, maxLength: 10 }),
				(order, manglings) => {
					const present = order.flatMap((index) => samples[index] ?? []);
					const text = present
						.map(({ armour }, index) => mangle(armour, manglings[index] ?? NOTHING))
						.join('\n');
					for (const wanted of ['message', 'privateKey'] as const) {
						const blocks = present.filter((each) => each.wanted === wanted);
						if (blocks.length === 0) continue;
						expect(read(text, wanted)).toEqual(blocks.map(({ packets }) => base64(packets)));
					}
				},
			),
		);
	});
});

const NOTHING: Mangling = {
	lineBreak: '\n',
	headers: [],
	hasChecksum: true,
	quotes: ['', ''],
	above: '',
	below: '',
	prefix: '',
	dash: '-',
	encoding: 'none',
};

describe('armour that lacks something', () => {
	it('is never read where its end is missing', () => {
		fc.assert(
			fc.property(
				sample,
				mangling,
				fc.double({ min: 0, max: 1, noNaN: true }),
				({ wanted, armour }, how, share) => {
					const whole = mangle(armour, { ...how, below: '' });
					const end = whole.lastIndexOf('END');
					expect(readArmour(whole.slice(0, Math.floor(share * end)), wanted)).toHaveProperty(
						'trouble',
					);
				},
			),
			{ numRuns: 1_000 },
		);
	});

	/** A block without one to three of the lines of its body; its checksum may stay or go. */
	const shortened = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 }));

	function shorten(armour: string, hasChecksum: boolean, [from, count]: [number, number]): string {
		const lines = mangle(armour, { ...NOTHING, hasChecksum }).split('\n');
		const length = lines.slice(2).findIndex((line) => /^(=[^=]{4}$|-)/.test(line));
		lines.splice(2 + (from % length), Math.min(count, length - (from % length)));
		return lines.join('\n');
	}

	it('is never read where some of its lines are missing and there is a checksum', () => {
		fc.assert(
			fc.property(sample, shortened, ({ wanted, armour }, missing) => {
				expect(readArmour(shorten(armour, true, missing), wanted)).toEqual({ trouble: 'damaged' });
			}),
			{ numRuns: 1_000 },
		);
	});

	it('never yields a secret where some of its lines are missing', async () => {
		await fc.assert(
			fc.asyncProperty(sample, shortened, async ({ wanted, armour, key }, missing) => {
				// A key that lost its last packets is a key still.
				fc.pre(wanted === 'message');
				const message = shorten(armour, false, missing);
				const encrypted = { message, privateKey: key, passphrase: PASSPHRASE };
				// What is left may happen to look like a packet of another kind.
				await expect(decryptSecret(encrypted)).rejects.toThrow(
					/^The (message in “Encrypted Secret” (is damaged: .*|cannot be decrypted|is not encrypted to a key|is not protected against changes and was not used)|key in “Private Key” does not match the message in “Encrypted Secret”.*)$/,
				);
			}),
			{ numRuns: 1_000 },
		);
	});

	it('is never read where a character was changed and there is a checksum', () => {
		fc.assert(
			fc.property(
				sample,
				fc.nat(),
				fc.constantFrom(...'ABCxyz059+/ .'),
				({ wanted, armour, packets }, at, character) => {
					const start = armour.indexOf('\n\n') + 2;
					const end = armour.lastIndexOf('\n=');
					const position = start + (at % (end - start));
					const changed = armour.slice(0, position) + character + armour.slice(position + 1);
					// Some changes are none: a line break, or bits that are left over before the padding.
					expect([[base64(packets)], { trouble: 'damaged' }]).toContainEqual(read(changed, wanted));
				},
			),
			{ numRuns: 1_000 },
		);
	});

	it('does not break on any text', () => {
		const marks = ['-----BEGIN PGP MESSAGE-----', '-----END PGP MESSAGE-----', '=', 'hQ', '\\n'];
		fc.assert(
			fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...marks))), (parts) => {
				expect(Object.keys(readArmour(parts.join(''), 'message'))).toHaveLength(1);
			}),
			{ numRuns: 1_000 },
		);
	});
});
