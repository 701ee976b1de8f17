import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { readArmour } from '../../service/armour';
import { Gpg } from '../gpg';

jest.setTimeout(60_000);

const PASSPHRASE = 'open sesame';

interface Sample {
	wanted: 'message' | 'privateKey';
	/** As gpg wrote it. */
	armour: string;
	/** The same without armour, as gpg sees it. */
	packets: Buffer;
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
}

const samples: Sample[] = [];

beforeAll(async () => {
	const gpg = await Gpg.create();
	try {
		for (const [userId, algorithm] of [
			['modern@example.com', 'future-default'],
			['classic@example.com', 'rsa2048'],
		] as const) {
			const isModern = algorithm === 'future-default';
			const id = await gpg.makeKey(userId, PASSPHRASE, algorithm, {
				usage: isModern ? 'default' : 'sign,encr',
			});
			await add('privateKey', await gpg.exportPrivate([id], PASSPHRASE));
			for (const secret of ['s3cret', 'a much longer secret, for another padding', '']) {
				await add('message', await gpg.encrypt(secret, id));
			}
			await add('message', await gpg.encrypt('s', id, ['--throw-keyids', '--cipher-algo', 'AES']));
		}
	} finally {
		await gpg.remove();
	}

	async function add(wanted: Sample['wanted'], armour: string) {
		samples.push({ wanted, armour, packets: await gpg.run(['--dearmor'], { input: armour }) });
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
		'\u2028',
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
	prefix: fc.constantFrom('', '> ', '    ', '| '),
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
	const block = lines.map((line) => prefix + line).join(how.lineBreak);
	return `${how.above}${how.quotes[0]}${block}${how.quotes[1]}${how.below}`;
}

describe('armour that went through mail, chat and a form', () => {
	it('is read as gpg reads what it was before', () => {
		fc.assert(
			fc.property(sample, mangling, ({ wanted, armour, packets }, how) => {
				expect(readArmour(mangle(armour, how), wanted)).toEqual({ packets });
			}),
			{ numRuns: 3_000 },
		);
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
						const first = present.find((each) => each.wanted === wanted);
						if (first) expect(readArmour(text, wanted)).toEqual({ packets: first.packets });
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

	it('is never read where some of its lines are missing', () => {
		fc.assert(
			fc.property(
				sample,
				fc.boolean(),
				fc.nat(),
				fc.integer({ min: 1, max: 3 }),
				({ wanted, armour }, isUnchecked, from, count) => {
					// Without a checksum, a key that lost its last packets is a key still.
					const hasChecksum = wanted === 'privateKey' || !isUnchecked;
					const lines = mangle(armour, { ...NOTHING, hasChecksum }).split('\n');
					// The checksum may go: it is not needed. The rest of the body may not.
					const removable = lines.slice(2).findIndex((line) => /^(=[^=]{4}$|-)/.test(line));
					lines.splice(2 + (from % removable), Math.min(count, removable - (from % removable)));
					expect(readArmour(lines.join('\n'), wanted)).toEqual({ trouble: 'damaged' });
				},
			),
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
					const read = readArmour(changed, wanted);
					// Some changes are none: a line break, or bits that are left over before the padding.
					expect([{ packets }, { trouble: 'damaged' }]).toContainEqual(read);
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
