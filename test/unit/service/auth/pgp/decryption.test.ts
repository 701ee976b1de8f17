import { webcrypto } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { decryptedSoFar, decryptSecret } from '../../../../../service/auth/pgp/decryption';
import { ServiceError } from '../../../../../service/failure';
import { run } from '../../../../lab/gpg';
import type { KeyName } from '../../../../lab/keyrings';
import { Keyrings, KEYS, PASSPHRASE, SECRET } from '../../../../lab/keyrings';

/** Keys are slow to open by design. */
jest.setTimeout(60_000);

let keyrings: Keyrings;

beforeAll(async () => {
	keyrings = await Keyrings.create(KEYS.map(([name]) => name));
}, 120_000);

afterAll(async () => {
	await keyrings.remove();
});

async function roundTrip(name: KeyName, options: string[] = []): Promise<string> {
	const message = await keyrings.encryptTo(name, SECRET, options);
	const key = await keyrings.privateKey(name);
	return await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE });
}

describe('a secret that gpg encrypted', () => {
	const past = ['--faked-system-time', '20200101T000100!'];

	it.each(KEYS)('to the key %s, %s, is decrypted', async (key) => {
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
		const args = ['--with-colons', '--list-keys', keyrings.fingerprint('manySubkeys')];
		const listing = (await keyrings.agency.run(args)).toString();

		const subkeys = [...listing.matchAll(/^sub:.*\nfpr:+([0-9A-F]+):/gm)].map(([, id]) => id);

		expect(subkeys).toHaveLength(3);

		const key = await keyrings.privateKey('manySubkeys');

		for (const subkey of subkeys) {
			const message = await keyrings.operator.encrypt(SECRET, `${subkey}!`);
			expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(
				SECRET,
			);
		}
	});

	it('is decrypted with the subkeys alone, as with a primary key that is kept offline', async () => {
		const args = ['--armor', '--export-secret-subkeys', keyrings.fingerprint('modern')];
		const key = (await keyrings.agency.run(args, { passphrase: PASSPHRASE })).toString();

		for (const options of [[], ['--throw-keyids']]) {
			const message = await keyrings.encryptTo('modern', SECRET, options);
			expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(
				SECRET,
			);
		}
	});

	it('is decrypted with the right one of several keys in one block', async () => {
		const key = await keyrings.privateKey('nist', 'modern', 'default');

		for (const options of [[], ['--throw-keyids']]) {
			const message = await keyrings.encryptTo('modern', SECRET, options);
			expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(
				SECRET,
			);
		}
	});

	it.each(['', ' \n'])('is decrypted with a key that has no passphrase: %j', async (passphrase) => {
		const id = await keyrings.add(`open ${passphrase.length}`, '');
		const message = await keyrings.operator.encrypt(SECRET, id);
		const key = await keyrings.agency.exportPrivate([id], '');

		expect(await decryptSecret({ message, privateKey: key, passphrase })).toBe(SECRET);
	});

	it('is decrypted with a key that has no passphrase, beside one that the given one opens', async () => {
		const id = await keyrings.add('open beside', '');
		const message = await keyrings.operator.encrypt(SECRET, id, ['--throw-keyids']);
		const open = await keyrings.agency.exportPrivate([id], '');
		const privateKey = `${await keyrings.privateKey('nist')}\n${open}`;

		expect(await decryptSecret({ message, privateKey, passphrase: PASSPHRASE })).toBe(SECRET);
	});

	it('is decrypted with the right one of several blocks, one of them without a passphrase', async () => {
		const id = await keyrings.agency.makeKey('beside <it@example.com>', '', 'future-default');
		const open = await keyrings.agency.exportPrivate([id], '');
		const [nist, modern] = [await keyrings.privateKey('nist'), await keyrings.privateKey('modern')];

		const blocks = [nist, open, modern].join('\n');

		for (const options of [[], ['--throw-keyids']]) {
			const message = await keyrings.encryptTo('modern', SECRET, options);
			const encrypted = { message, privateKey: blocks, passphrase: PASSPHRASE };
			expect(await decryptSecret(encrypted)).toBe(SECRET);
		}
	});

	it('is the one of several messages that is encrypted to the key', async () => {
		const earlier = await keyrings.encryptTo('nist', 'another');
		const message = `${earlier}\n${await keyrings.encryptTo('modern')}`;
		const key = await keyrings.privateKey('modern');

		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});

	it('is decrypted with a passphrase that has spaces around it', async () => {
		const spaced = ' x ';
		const id = await keyrings.add('spaced', spaced);
		const message = await keyrings.operator.encrypt(SECRET, id);
		const key = await keyrings.agency.exportPrivate([id], spaced);

		expect(await decryptSecret({ message, privateKey: key, passphrase: spaced })).toBe(SECRET);
	});

	it('is decrypted with a passphrase that was copied with spaces', async () => {
		const message = await keyrings.encryptTo('modern');
		const key = await keyrings.privateKey('modern');

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
		const message = await keyrings.encryptTo('modern', sent);
		const key = await keyrings.privateKey('modern');

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
		id = await keyrings.add('memory', '');
		key = await keyrings.agency.exportPrivate([id], '');
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
			await keyrings.operator.encrypt(SECRET, id),
			await keyrings.operator.encrypt(SECRET, id),
		];

		const once = await workFor([first]);

		expect(once).toBeGreaterThan(0);
		expect(await workFor([second, second, second])).toBe(once);
		expect(await workFor([first, second])).toBe(0);
	});

	it('is known only to those who have everything that it was decrypted from', async () => {
		const encrypted = {
			message: await keyrings.encryptTo('modern'),
			privateKey: await keyrings.privateKey('modern'),
			passphrase: PASSPHRASE,
		};

		expect(decryptedSoFar(encrypted)).toBeUndefined();

		await decryptSecret(encrypted);

		expect(decryptedSoFar(encrypted)).toBe(SECRET);
		for (const change of [
			{ passphrase: 'other' },
			{ passphrase: '' },
			{ privateKey: await keyrings.privateKey('nist') },
			{ message: await keyrings.encryptTo('nist') },
		]) {
			const changed = { ...encrypted, ...change };
			expect(decryptedSoFar(changed)).toBeUndefined();
			await expect(decryptSecret(changed)).rejects.toThrow(ServiceError);
			expect(decryptedSoFar(changed)).toBeUndefined();
		}
	});

	it('is forgotten when many others were used since, the least recently used first', async () => {
		const messages: string[] = [];
		while (messages.length <= PAIRS_KEPT)
			messages.push(await keyrings.operator.encrypt(SECRET, id));
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
		const keys = join(keyrings.operator.home, `${name}.asc`);
		await writeFile(keys, await keyrings.agency.exportPublic(keyrings.fingerprint(name)));
		const home = join(keyrings.operator.home, 'rnp');
		const options = ['--homedir', home, '--keyfile', keys, '--notty'];
		const encrypt = ['--encrypt', '--aead=OCB', '--armor', '-r', 'it@example.com'];
		const input = join(keyrings.operator.home, 'secret');
		await writeFile(input, `${SECRET}\n`);
		const message = (await run('rnp', [...options, ...encrypt, '--output', '-', input])).toString();

		expect(await keyrings.agency.packets(message, PASSPHRASE)).toContain(':aead encrypted packet:');
		expect(await keyrings.agency.decrypt(message, PASSPHRASE)).toBe(`${SECRET}\n`);

		const key = await keyrings.privateKey(name);
		expect(await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE })).toBe(SECRET);
	});
});
