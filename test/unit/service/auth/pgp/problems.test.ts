import { webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { decryptSecret } from '../../../../../service/auth/pgp/decryption';
import { ServiceError } from '../../../../../service/failure';
import { Keyrings, PASSPHRASE, SECRET } from '../../../../lab/keyrings';

/** Keys are slow to open by design. */
jest.setTimeout(60_000);

let keyrings: Keyrings;

beforeAll(async () => {
	keyrings = await Keyrings.create(['modern', 'nist']);
}, 120_000);

afterAll(async () => {
	await keyrings.remove();
});

describe('what cannot be decrypted', () => {
	let message: string;
	let key: string;

	beforeAll(async () => {
		[message, key] = [await keyrings.encryptTo('modern'), await keyrings.privateKey('modern')];
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
		const { message: sentence } = await failure({ privateKey: await keyrings.privateKey('nist') });

		expect(sentence).toContain('“Private Key” does not match the message in “Encrypted Secret”');
		expect(sentence).toContain(keyrings.fingerprint('nist').slice(-16));
	});

	it('names all keys that would do', async () => {
		const others = ['--recipient', 'operator@example.com'];
		const toTwo = await keyrings.encryptTo('modern', SECRET, others);

		const { message: sentence } = await failure({
			message: toTwo,
			privateKey: await keyrings.privateKey('nist'),
		});

		expect(sentence).toMatch(/\(it needs [0-9A-F]{16}, [0-9A-F]{16}, and this is [0-9A-F]{16}/);
	});

	it('tells in which field is no block', async () => {
		expect((await failure({ message: SECRET })).message).toBe(
			'“Encrypted Secret” does not contain an OpenPGP message',
		);
		expect((await failure({ privateKey: SECRET })).message).toBe(
			'“Private Key” does not contain an OpenPGP private key',
		);
	});

	it('tells in which field is a block that only looks whole', async () => {
		// An unknown algorithm of the key, and another length of what encrypts the session key: all packets are there.
		const packets = await keyrings.agency.run(['--dearmor'], { input: key });
		packets.writeUInt8(99, 7);
		const encrypted = await keyrings.agency.run(['--dearmor'], { input: message });
		encrypted.writeUInt8(9, 12);

		expect(
			(await failure({ privateKey: armoured('PRIVATE KEY BLOCK', packets) })).message,
		).toContain('The private key in “Private Key” is damaged');
		expect((await failure({ message: armoured('MESSAGE', encrypted) })).message).toContain(
			'The message in “Encrypted Secret” is damaged',
		);
	});

	it('tells of another key if the message does not name its own', async () => {
		const anonymous = await keyrings.encryptTo('modern', SECRET, ['--throw-keyids']);

		const { message: sentence } = await failure({
			message: anonymous,
			privateKey: await keyrings.privateKey('nist'),
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

		const open = await keyrings.add('needless', '');

		const { message: sentence } = await failure({
			message: await keyrings.operator.encrypt(SECRET, open),
			privateKey: await keyrings.agency.exportPrivate([open], ''),
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
		const unusable = (await keyrings.operator.run(['--armor', ...args], input)).toString();

		expect((await failure({ message: unusable })).message).toBe(
			'The message in “Encrypted Secret” is not encrypted to a key',
		);
	});

	it('tells of a message whose content was changed', async () => {
		const data = Buffer.from(
			await keyrings.operator.run(['--recipient', keyrings.fingerprint('modern'), '--encrypt'], {
				input: SECRET,
			}),
		);
		data.writeUInt8(data.readUInt8(data.length - 1) ^ 1, data.length - 1);

		const error = await failure({ message: armoured('MESSAGE', data) });

		expect(error.message).toBe('The message in “Encrypted Secret” cannot be decrypted');
		expect(error.details.remedy).toContain('Ask the operator to encrypt the secret to your key');
	});

	it.each([
		['empty', '', 'is empty'],
		['nothing but blanks', '\ufeff \r\n\n', 'is empty'],
		['several lines', `\n${SECRET}\n${SECRET}`, 'has more than one line'],
		['several lines of an old Mac', `${SECRET}\r${SECRET}`, 'has more than one line'],
		['far too long', 'a'.repeat(2_000_000), 'is too long to be a secret'],
	])('tells of a secret that is %s', async (_, secret, words) => {
		for (const options of [[], ['--compress-algo', 'none']]) {
			const unusable = await keyrings.encryptTo('modern', secret, options);
			expect((await failure({ message: unusable })).message).toContain(words);
		}
	});

	it('tells of bytes that are not text', async () => {
		const input = join(keyrings.operator.home, 'bytes');
		await writeFile(input, Buffer.from([0xff, 0xfe, 0x00]));
		const args = [
			'--armor',
			'--recipient',
			keyrings.fingerprint('modern'),
			'--output',
			'-',
			'--encrypt',
		];
		const bytes = (await keyrings.operator.run([...args, input])).toString();

		expect((await failure({ message: bytes })).message).toContain('is not text');
	});

	it('is worked out only once while nothing changes', async () => {
		const deriving = jest.spyOn(webcrypto.subtle, 'digest');
		const first = await failure({ passphrase: 'another' });

		const once = deriving.mock.calls.length;

		expect(once).toBeGreaterThan(0);
		expect((await failure({ passphrase: 'another' })).message).toBe(first.message);
		expect(deriving.mock.calls).toHaveLength(once);

		deriving.mockRestore();
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});

	it('is tried again if the fields were not the cause', async () => {
		jest.resetModules();
		jest.doMock('../../../../../vendor/openpgp', () => {
			throw new Error('Out of memory');
		});
		const anew = await import('../../../../../service/auth/pgp/decryption');
		const encrypted = { message, privateKey: key, passphrase: PASSPHRASE };

		await expect(anew.decryptSecret(encrypted)).rejects.toThrow('Out of memory');

		jest.dontMock('../../../../../vendor/openpgp');
		expect(await anew.decryptSecret(encrypted)).toBe(SECRET);
	});

	it('tells of the passphrase of another key in the same field', async () => {
		const id = await keyrings.agency.makeKey(
			'stranger <it@example.com>',
			'of its own',
			'future-default',
		);
		const stranger = await keyrings.agency.exportPrivate([id], 'of its own');

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
		const packets = await keyrings.agency.run(['--dearmor'], { input: key });
		const subkey = packets.lastIndexOf(Buffer.from([0xfe, 7, 3]));
		const start = packets.lastIndexOf(Buffer.from([0x9c, 0x8b, 4]), subkey);
		const end = start + 2 + packets.readUInt8(start + 1);
		const content = Buffer.concat([packets.subarray(start + 2, subkey), specifier]);
		const whole = [packets.subarray(0, start), Buffer.from([0x9c, content.length]), content];
		return armoured('PRIVATE KEY BLOCK', Buffer.concat([...whole, packets.subarray(end)]));
	}

	it('tells of a key that is protected in an unknown way', async () => {
		const packets = await keyrings.agency.run(['--dearmor'], { input: key });
		packets.writeUInt8(99, packets.indexOf(Buffer.from([0xfe, 7, 3])) + 1);
		const changed = armoured('PRIVATE KEY BLOCK', packets);

		const { message: sentence, details } = await failure({ privateKey: changed });

		expect(sentence).toBe('The key in “Private Key” cannot be used');
		expect(details.remedy).toMatch(/OpenPGP\.js says: “[^”]+[^.”]”\.$/);

		const anonymous = {
			message: await keyrings.encryptTo('modern', SECRET, ['--throw-keyids']),
			privateKey: `${changed}\n${await keyrings.privateKey('nist')}`,
			passphrase: 'other',
		};
		expect((await failure(anonymous)).message).toContain('“Passphrase” does not open the key');
	});

	it('tells of a message without integrity protection', async () => {
		const packets = await keyrings.agency.run(['--dearmor'], { input: message });
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
