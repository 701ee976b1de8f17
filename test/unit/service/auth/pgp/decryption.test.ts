import { webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { decryptedSoFar, decryptSecret } from '../../../../../service/auth/pgp/decryption';
import { ServiceError } from '../../../../../service/failure';
import { Gpg, run } from '../../../../lab/gpg';

/** Keys are slow to open by design. */
jest.setTimeout(60_000);

const SECRET = 'l+e%41a:d é&s=/?#"secret';
const PASSPHRASE = 'Türm & "Kette" 7';

/** Keys as an agency may have them, each made by the real gpg; a slow one is made once. */
const KEYS = {
	rsa4096: 'RSA 4096 with an encryption subkey',
	rsaSingle: 'RSA 3072, one key for everything',
	default: 'the default of the gpg on this machine (RSA 3072 up to gpg 2.2)',
	modern: 'the default of gpg 2.3 and newer (Ed25519 and Curve25519)',
	nist: 'NIST P-256',
	manySubkeys: 'one with several encryption subkeys',
	expired: 'one that has expired',
} as const;

/**
 * How often a passphrase is hashed to protect an exported key. gpg's own count, a hundred times as
 * high, is what the tests in n8n's engine and in a real n8n have.
 */
const QUICK = ['s2k-count 650000'];

type KeyName = keyof typeof KEYS;

let agency: Gpg;
let operator: Gpg;
const fingerprints = new Map<KeyName, string>();

beforeAll(async () => {
	[agency, operator] = await Promise.all([Gpg.create(QUICK), Gpg.create()]);
	const make = async (name: KeyName, ...rest: [string, Parameters<Gpg['makeKey']>[3]?]) => {
		fingerprints.set(name, await agency.makeKey(`${name} <it@example.com>`, PASSPHRASE, ...rest));
	};
	await make('rsa4096', 'rsa4096', { usage: 'sign', subkeys: ['rsa4096'] });
	await make('rsaSingle', 'rsa3072', { usage: 'sign,encr' });
	await make('default', 'default');
	await make('modern', 'future-default');
	await make('nist', 'nistp256', { usage: 'sign', subkeys: ['nistp256'] });
	await make('manySubkeys', 'ed25519', {
		usage: 'sign',
		subkeys: ['cv25519', 'rsa2048', 'cv25519'],
	});
	const past = ['--faked-system-time', '20200101T000000!'];
	await make('expired', 'future-default', { expires: '2d', options: past });
	await operator.import(await agency.exportPublic());
	await operator.makeKey('operator <operator@example.com>', '', 'future-default');
}, 120_000);

afterAll(async () => {
	await Promise.all([agency.remove(), operator.remove()]);
});

function fingerprint(name: KeyName): string {
	const found = fingerprints.get(name);
	if (found === undefined) throw new Error(`No key ${name}`);
	return found;
}

const exported = new Map<string, string>();

/** gpg takes its time to protect what it exports: it does so once. */
async function privateKey(...names: KeyName[]): Promise<string> {
	const known = exported.get(names.join());
	if (known !== undefined) return known;
	const key = await agency.exportPrivate(names.map(fingerprint), PASSPHRASE);
	exported.set(names.join(), key);
	return key;
}

async function encryptTo(name: KeyName, secret = SECRET, options: string[] = []): Promise<string> {
	return await operator.encrypt(secret, fingerprint(name), options);
}

async function roundTrip(name: KeyName, options: string[] = []): Promise<string> {
	const message = await encryptTo(name, SECRET, options);
	const key = await privateKey(name);
	return await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE });
}

describe('a secret that gpg encrypted', () => {
	const past = ['--faked-system-time', '20200101T000100!'];

	it.each(Object.entries(KEYS))('to the key %s, %s, is decrypted', async (name) => {
		const key = name as KeyName;
		expect(await roundTrip(key, key === 'expired' ? past : [])).toBe(SECRET);
	});

	it.each([
		...['none', 'zip', 'zlib', 'bzip2'].map((name) => ['--compress-algo', name]),
		...['AES', 'AES192', 'AES256'].map((name) => ['--cipher-algo', name]),
		['--textmode'],
		['--throw-keyids'],
		['--comment', 'Sent by the operator, see https://example.com', '--emit-version'],
		['--sign', '--local-user', 'operator@example.com'],
		['--recipient', 'operator@example.com'],
	])('with %s %s is decrypted', async (...options) => {
		expect(await roundTrip('rsa4096', options)).toBe(SECRET);
		expect(await roundTrip('modern', options)).toBe(SECRET);
	});

	it('to each encryption subkey is decrypted', async () => {
		const listing = (
			await agency.run(['--with-colons', '--list-keys', fingerprint('manySubkeys')])
		).toString();
		const subkeys = [...listing.matchAll(/^sub:.*\nfpr:+([0-9A-F]+):/gm)].map(([, id]) => id);
		expect(subkeys).toHaveLength(3);
		const key = await privateKey('manySubkeys');
		for (const subkey of subkeys) {
			const message = await operator.encrypt(SECRET, `${subkey}!`);
			expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(
				SECRET,
			);
		}
	});

	it('is decrypted with the subkeys alone, as with a primary key that is kept offline', async () => {
		const args = ['--armor', '--export-secret-subkeys', fingerprint('modern')];
		const key = (await agency.run(args, { passphrase: PASSPHRASE })).toString();
		const message = await encryptTo('modern');
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});

	it('is decrypted with the right one of several keys in one block', async () => {
		const key = await privateKey('nist', 'modern', 'default');
		for (const options of [[], ['--throw-keyids']]) {
			const message = await encryptTo('modern', SECRET, options);
			expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(
				SECRET,
			);
		}
	});

	it('is decrypted with a key that has no passphrase', async () => {
		const id = await agency.makeKey('open <it@example.com>', '', 'future-default');
		await operator.import(await agency.exportPublic(id));
		const message = await operator.encrypt(SECRET, id);
		const key = await agency.exportPrivate([id], '');
		expect(await decryptSecret({ message, privateKey: key, passphrase: '' })).toBe(SECRET);
	});

	it('is decrypted with the right one of several blocks, one of them without a passphrase', async () => {
		const id = await agency.makeKey('beside <it@example.com>', '', 'future-default');
		const open = await agency.exportPrivate([id], '');
		const blocks = [await privateKey('nist'), open, await privateKey('modern')].join('\n');
		for (const options of [[], ['--throw-keyids']]) {
			const message = await encryptTo('modern', SECRET, options);
			const encrypted = { message, privateKey: blocks, passphrase: PASSPHRASE };
			expect(await decryptSecret(encrypted)).toBe(SECRET);
		}
	});

	it('is the one of several messages that is encrypted to the key', async () => {
		const message = `${await encryptTo('nist', 'another')}\n${await encryptTo('modern')}`;
		const key = await privateKey('modern');
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});

	it('is decrypted with a passphrase that has spaces around it', async () => {
		const spaced = ' x ';
		const id = await agency.makeKey('spaced <it@example.com>', spaced, 'future-default');
		await operator.import(await agency.exportPublic(id));
		const message = await operator.encrypt(SECRET, id);
		const key = await agency.exportPrivate([id], spaced);
		expect(await decryptSecret({ message, privateKey: key, passphrase: spaced })).toBe(SECRET);
	});

	it('is decrypted with a passphrase that brought a space along', async () => {
		const [message, key] = [await encryptTo('modern'), await privateKey('modern')];
		expect(await decryptSecret({ message, privateKey: key, passphrase: ` ${PASSPHRASE} ` })).toBe(
			SECRET,
		);
	});

	it.each([
		['nothing', SECRET],
		['a line break', `${SECRET}\n`],
		['one as Windows has it', `${SECRET}\r\n`],
		['two line breaks', `${SECRET}\n\n`],
		['two as Windows has them', `${SECRET}\r\n\r\n`],
		['spaces and a carriage return', ` ${SECRET}\t \r`],
		['a line break in front', `\r\n${SECRET}\n`],
		['a byte order mark', `\ufeff${SECRET}`],
		['a byte order mark and a line break', `\ufeff${SECRET}\r\n`],
		['spaces that cannot be seen', `\u200b\u00a0${SECRET}\u2060 \u200b\n`],
	])('is the secret itself, with %s around it or not', async (_, sent) => {
		const [message, key] = [await encryptTo('modern', sent), await privateKey('modern')];
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});
});

describe('a secret that was decrypted', () => {
	const PAIRS_KEPT = 50;
	let id: string;
	let key: string;
	/** How much cryptography the host was asked for, which shows whether something was decrypted. */
	let work: () => number;

	beforeAll(async () => {
		id = await agency.makeKey('memory <it@example.com>', '', 'future-default');
		await operator.import(await agency.exportPublic(id));
		key = await agency.exportPrivate([id], '');
		const spies = (['digest', 'decrypt', 'importKey', 'encrypt'] as const).map((operation) =>
			jest.spyOn(webcrypto.subtle, operation),
		);
		work = () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
	});

	afterAll(() => {
		jest.restoreAllMocks();
	});

	async function workFor(messages: string[]): Promise<number> {
		const before = work();
		const decryptions = messages.map(
			async (message) => await decryptSecret({ message, privateKey: key, passphrase: '' }),
		);
		expect(new Set(await Promise.all(decryptions))).toEqual(new Set([SECRET]));
		return work() - before;
	}

	it('is shared by calls side by side, and by later ones', async () => {
		const [first, second] = [
			await operator.encrypt(SECRET, id),
			await operator.encrypt(SECRET, id),
		];
		const once = await workFor([first]);
		expect(once).toBeGreaterThan(0);
		expect(await workFor([second, second, second])).toBe(once);
		expect(await workFor([first, second])).toBe(0);
	});

	it('is known to those alone who have all that it was decrypted from', async () => {
		const encrypted = {
			message: await encryptTo('modern'),
			privateKey: await privateKey('modern'),
			passphrase: PASSPHRASE,
		};
		expect(decryptedSoFar(encrypted)).toBeUndefined();
		await decryptSecret(encrypted);
		expect(decryptedSoFar(encrypted)).toBe(SECRET);
		for (const change of [
			{ passphrase: 'other' },
			{ passphrase: '' },
			{ privateKey: await privateKey('nist') },
			{ message: await encryptTo('nist') },
		]) {
			const changed = { ...encrypted, ...change };
			expect(decryptedSoFar(changed)).toBeUndefined();
			await expect(decryptSecret(changed)).rejects.toThrow(ServiceError);
			expect(decryptedSoFar(changed)).toBeUndefined();
		}
	});

	it('is forgotten when many others were used since, the least recently used first', async () => {
		const messages: string[] = [];
		while (messages.length <= PAIRS_KEPT) messages.push(await operator.encrypt(SECRET, id));
		const [first = '', second = '', ...others] = messages;
		await workFor([first]);
		await workFor([second]);
		expect(await workFor([first])).toBe(0);
		for (const message of others) await workFor([message]);
		expect(await workFor([first])).toBe(0);
		expect(await workFor([second])).toBeGreaterThan(0);
	});
});

/**
 * gpg 2.3 and newer encrypt with OCB to keys that say they can read it; gpg 2.2 reads such messages
 * but cannot write them. So rnp, another implementation, writes them, and gpg says what they are.
 */
describe('a secret encrypted with OCB, as by gpg 2.3 and newer', () => {
	it.each(['rsa4096', 'modern'] as const)('to the key %s is decrypted', async (name) => {
		const keys = join(operator.home, `${name}.asc`);
		await writeFile(keys, await agency.exportPublic(fingerprint(name)));
		const options = ['--homedir', join(operator.home, 'rnp'), '--keyfile', keys, '--notty'];
		const encrypt = ['--encrypt', '--aead=OCB', '--armor', '-r', 'it@example.com'];
		const input = join(operator.home, 'secret');
		await writeFile(input, `${SECRET}\n`);
		const message = (await run('rnp', [...options, ...encrypt, '--output', '-', input])).toString();
		expect(await agency.packets(message, PASSPHRASE)).toContain(':aead encrypted packet:');
		expect(await agency.decrypt(message, PASSPHRASE)).toBe(`${SECRET}\n`);

		const key = await privateKey(name);
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});
});

describe('what cannot be decrypted', () => {
	let message: string;
	let key: string;

	beforeAll(async () => {
		[message, key] = [await encryptTo('modern'), await privateKey('modern')];
	});

	async function failure(
		changes: Partial<Parameters<typeof decryptSecret>[0]>,
	): Promise<ServiceError> {
		const encrypted = { message, privateKey: key, passphrase: PASSPHRASE, ...changes };
		const [outcome] = await Promise.allSettled([decryptSecret(encrypted)]);
		const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
		if (!(error instanceof ServiceError)) throw new Error(`Not a ServiceError: ${String(error)}`);
		expect(error.kind).toBe('credential');
		expect(`${error.message} ${error.details.remedy}`).not.toContain(PASSPHRASE);
		return error;
	}

	it('names the key that is needed and the one that is there', async () => {
		const { message: sentence } = await failure({ privateKey: await privateKey('nist') });
		expect(sentence).toContain('“Private Key” does not match the message in “Encrypted Secret”');
		expect(sentence).toContain(fingerprint('nist').slice(-16));
	});

	it('tells of another key where the message does not name its own', async () => {
		const anonymous = await encryptTo('modern', SECRET, ['--throw-keyids']);
		const { message: sentence } = await failure({
			message: anonymous,
			privateKey: await privateKey('nist'),
		});
		expect(sentence).toContain('“Private Key” does not match the message in “Encrypted Secret”');
	});

	it('tells a wrong passphrase from a missing and a needless one', async () => {
		expect((await failure({ passphrase: 'other' })).message).toBe(
			'“Passphrase” does not open the key in “Private Key”',
		);
		expect((await failure({ passphrase: ' ' })).message).toBe(
			'“Passphrase” is empty, and the key in “Private Key” has one',
		);
		const open = await agency.makeKey('needless <it@example.com>', '', 'future-default');
		await operator.import(await agency.exportPublic(open));
		const { message: sentence } = await failure({
			message: await operator.encrypt(SECRET, open),
			privateKey: await agency.exportPrivate([open], ''),
		});
		expect(sentence).toBe(
			'The key in “Private Key” has no passphrase, and “Passphrase” is not empty',
		);
	});

	it.each([
		['only signed', ['--sign', '--local-user', 'operator@example.com']],
		['encrypted with a passphrase', ['--symmetric']],
		['not encrypted at all', ['--store']],
	])('tells of a message that is %s', async (_, args) => {
		const input = { input: SECRET, passphrase: 'shared' };
		const unusable = (await operator.run(['--armor', ...args], input)).toString();
		expect((await failure({ message: unusable })).message).toBe(
			'The message in “Encrypted Secret” is not encrypted to a key',
		);
	});

	it('tells of a message whose content was changed', async () => {
		const data = Buffer.from(
			await operator.run(['--recipient', fingerprint('modern'), '--encrypt'], { input: SECRET }),
		);
		data.writeUInt8(data.readUInt8(data.length - 1) ^ 1, data.length - 1);
		const error = await failure({ message: armoured('MESSAGE', data) });
		expect(error.message).toBe('The message in “Encrypted Secret” cannot be decrypted');
		expect(error.details.remedy).toContain('Ask the operator to encrypt the secret to your key');
	});

	it.each([
		['empty', '', 'holds an empty secret'],
		['nothing but blanks', '\ufeff \r\n\n', 'holds an empty secret'],
		['several lines', `\n${SECRET}\n${SECRET}`, 'has more than one line'],
		['several lines of an old Mac', `${SECRET}\r${SECRET}`, 'has more than one line'],
		['far too long', 'a'.repeat(2_000_000), 'is far too long for a secret'],
	])('tells of a secret that is %s', async (_, secret, words) => {
		for (const options of [[], ['--compress-algo', 'none']]) {
			const unusable = await encryptTo('modern', secret, options);
			expect((await failure({ message: unusable })).message).toContain(words);
		}
	});

	it('tells of bytes that are no text', async () => {
		const input = join(operator.home, 'bytes');
		await writeFile(input, Buffer.from([0xff, 0xfe, 0x00]));
		const args = ['--armor', '--recipient', fingerprint('modern'), '--output', '-', '--encrypt'];
		const bytes = (await operator.run([...args, input])).toString();
		expect((await failure({ message: bytes })).message).toContain('is not text');
	});

	it('is found out once for as long as nothing changes', async () => {
		const deriving = jest.spyOn(webcrypto.subtle, 'digest');
		const first = await failure({ passphrase: 'another' });
		const once = deriving.mock.calls.length;
		expect(once).toBeGreaterThan(0);
		expect((await failure({ passphrase: 'another' })).message).toBe(first.message);
		expect(deriving.mock.calls).toHaveLength(once);
		deriving.mockRestore();
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});

	it('is tried again where that was no fault of the fields', async () => {
		jest.resetModules();
		jest.doMock('../../../../../vendor/openpgp', () => {
			throw new Error('Out of memory');
		});
		const afresh = await import('../../../../../service/auth/pgp/decryption');
		const encrypted = { message, privateKey: key, passphrase: PASSPHRASE };
		await expect(afresh.decryptSecret(encrypted)).rejects.toThrow('Out of memory');
		jest.dontMock('../../../../../vendor/openpgp');
		expect(await afresh.decryptSecret(encrypted)).toBe(SECRET);
	});

	it('tells of the passphrase of another key in the same field', async () => {
		const id = await agency.makeKey('stranger <it@example.com>', 'of its own', 'future-default');
		const stranger = await agency.exportPrivate([id], 'of its own');
		const { message: sentence } = await failure({
			privateKey: stranger + key,
			passphrase: 'of its own',
		});
		expect(sentence).toBe('“Passphrase” does not open the key in “Private Key”');
	});

	it.each([
		['its private part is left out', 'gnu-dummy'],
		['it is on a smart card', 'card'],
	])('tells of a subkey that cannot be used, since %s', async (_, kind) => {
		const { message: sentence, details } = await failure({ privateKey: await stub(kind) });
		expect(sentence).toBe('The key in “Private Key” cannot be used');
		expect(details.remedy).toContain('Export it again with gpg');
	});

	/** The key without the private part of its subkey, as gpg writes such ones (GnuPG's doc/DETAILS). */
	async function stub(kind: string): Promise<string> {
		const mode = kind === 'card' ? [2, 0] : [1];
		const specifier = Buffer.from([0xff, 0, 0x65, 0, ...Buffer.from('GNU'), ...mode]);
		const packets = await agency.run(['--dearmor'], { input: key });
		const subkey = packets.lastIndexOf(Buffer.from([0xfe, 7, 3]));
		const start = packets.lastIndexOf(Buffer.from([0x9c, 0x8b, 4]), subkey);
		const end = start + 2 + packets.readUInt8(start + 1);
		const content = Buffer.concat([packets.subarray(start + 2, subkey), specifier]);
		const whole = [packets.subarray(0, start), Buffer.from([0x9c, content.length]), content];
		return armoured('PRIVATE KEY BLOCK', Buffer.concat([...whole, packets.subarray(end)]));
	}

	it('tells of a key that is protected in an unknown way', async () => {
		const packets = await agency.run(['--dearmor'], { input: key });
		packets.writeUInt8(99, packets.indexOf(Buffer.from([0xfe, 7, 3])) + 1);
		const changed = armoured('PRIVATE KEY BLOCK', packets);
		const { message: sentence, details } = await failure({ privateKey: changed });
		expect(sentence).toBe('The key in “Private Key” cannot be used');
		expect(details.remedy).toMatch(/OpenPGP\.js says: “[^”]+[^.”]”\.$/);
	});

	it('tells of a message without integrity protection', async () => {
		const packets = await agency.run(['--dearmor'], { input: message });
		const start = packets.indexOf(Buffer.from([0xd2]), 2 + packets.readUInt8(1));
		const unprotected = Buffer.from([0xc9, packets.readUInt8(start + 1) - 1]);
		const changed = [packets.subarray(0, start), unprotected, packets.subarray(start + 3)];
		const block = armoured('MESSAGE', Buffer.concat(changed));
		expect((await failure({ message: block })).message).toContain('is not protected against');
	});
});

function armoured(kind: string, packets: Buffer): string {
	return `-----BEGIN PGP ${kind}-----\n\n${packets.toString('base64')}\n-----END PGP ${kind}-----`;
}
