import { webcrypto } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { decryptSecret, decryptedSoFar } from '../../../../../service/auth/pgp/decryption';
import { ServiceError } from '../../../../../service/failure';
import { Gpg } from '../../../../lab/gpg';

/** A secret with what forms, shells and addresses take for something else. */
const SECRET = 'l+e%41a:d é&s=/?#"secret';

/** Of every key in the agency's keyring. */
const PASSPHRASE = 'Türm & "Kette" 7';

/** Keys as an agency may have them, each made by the real gpg. */
const KEYS: Array<[KeyName, string]> = [
	['rsa4096', 'RSA 4096 with an encryption subkey'],
	['rsaSingle', 'RSA 3072, one key for everything'],
	['modern', 'the default of gpg 2.3 and newer (Ed25519 and Curve25519)'],
	['nist', 'NIST P-256'],
];

type KeyName = 'rsa4096' | 'rsaSingle' | 'modern' | 'nist';

/** What gpg makes each of them with: the algorithm, and more. */
const RECIPES: Record<KeyName, [string, Parameters<Gpg['makeKey']>[3]?]> = {
	rsa4096: ['rsa4096', { usage: 'sign', subkeys: ['rsa4096'] }],
	rsaSingle: ['rsa3072', { usage: 'sign,encr' }],
	modern: ['future-default'],
	nist: ['nistp256', { usage: 'sign', subkeys: ['nistp256'] }],
};

/**
 * How often a passphrase is hashed to protect an exported key. The tests in n8n's engine and in a real
 * n8n have gpg's own count, which is a hundred times as high.
 */
const QUICK = ['s2k-count 650000'];

/** The keyring of an agency with its keys, and that of an operator who has their public parts. */
class Keyrings {
	private readonly exported = new Map<string, string>();

	private constructor(
		readonly agency: Gpg,
		readonly operator: Gpg,
		private readonly fingerprints: ReadonlyMap<KeyName, string>,
	) {}

	static async create(names: KeyName[]): Promise<Keyrings> {
		const [agency, operator] = await Promise.all([Gpg.create(QUICK), Gpg.create()]);
		const fingerprints = new Map<KeyName, string>();
		for (const name of names) {
			const made = agency.makeKey(`${name} <it@example.com>`, PASSPHRASE, ...RECIPES[name]);
			fingerprints.set(name, await made);
		}
		await operator.import(await agency.exportPublic());
		await operator.makeKey('operator <operator@example.com>', '', 'future-default');
		return new Keyrings(agency, operator, fingerprints);
	}

	async remove(): Promise<void> {
		await Promise.all([this.agency.remove(), this.operator.remove()]);
	}

	fingerprint(name: KeyName): string {
		const found = this.fingerprints.get(name);
		if (found === undefined) throw new Error(`No key ${name}`);
		return found;
	}

	/** gpg takes its time to protect what it exports: it does so once. */
	async privateKey(...names: KeyName[]): Promise<string> {
		const known = this.exported.get(names.join());
		if (known !== undefined) return known;
		const fingerprints = names.map((name) => this.fingerprint(name));
		const key = await this.agency.exportPrivate(fingerprints, PASSPHRASE);
		this.exported.set(names.join(), key);
		return key;
	}

	/** A secret that the operator encrypted to one of the agency's keys. */
	async encryptTo(
		name: KeyName,
		secret: string | Buffer = SECRET,
		options: string[] = [],
	): Promise<string> {
		return await this.operator.encrypt(secret, this.fingerprint(name), options);
	}

	/** Adds a key to the agency's keyring whose public part the operator gets. */
	async add(name: string, passphrase: string): Promise<string> {
		const userId = `${name} <it@example.com>`;
		const fingerprint = await this.agency.makeKey(userId, passphrase, 'future-default');
		await this.operator.import(await this.agency.exportPublic(fingerprint));
		return fingerprint;
	}
}

/** Keys are slow to open by design. */
jest.setTimeout(60_000);

let keyrings: Keyrings;
let message: string;
let key: string;

beforeAll(async () => {
	keyrings = await Keyrings.create(KEYS.map(([name]) => name));
	message = await keyrings.encryptTo('modern');
	key = await keyrings.privateKey('modern');
}, 120_000);

afterAll(async () => {
	await keyrings.remove();
});

type Encrypted = Parameters<typeof decryptSecret>[0];

async function decrypted(changes: Partial<Encrypted> = {}): Promise<string> {
	return await decryptSecret({ message, privateKey: key, passphrase: PASSPHRASE, ...changes });
}

async function failure(changes: Partial<Encrypted>): Promise<ServiceError> {
	const [outcome] = await Promise.allSettled([decrypted(changes)]);
	const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
	if (!(error instanceof ServiceError)) throw new Error(`Not a ServiceError: ${String(error)}`);
	expect(error.kind).toBe('credential');
	expect(`${error.message} ${error.details.remedy}`).not.toContain(PASSPHRASE);
	return error;
}

const ANONYMOUS = ['--throw-keyids'];

describe('a secret that gpg encrypted', () => {
	it.each(KEYS)('to the key %s, %s, is decrypted', async (name) => {
		const pasted = {
			message: await keyrings.encryptTo(name),
			privateKey: await keyrings.privateKey(name),
		};

		expect(await decrypted(pasted)).toBe(SECRET);
		expect(
			await decrypted({
				message: pasted.message.replaceAll('\n', ''),
				privateKey: pasted.privateKey.replaceAll('\n', ''),
			}),
		).toBe(SECRET);
	});

	it.each([
		ANONYMOUS,
		['--comment', 'Sent by the operator, see https://example.com', '--emit-version'],
		['--sign', '--local-user', 'operator@example.com'],
		['--recipient', 'operator@example.com'],
	])('with %s %s is decrypted', async (...options) => {
		const sent = await keyrings.encryptTo('modern', SECRET, options);

		expect(await decrypted({ message: sent })).toBe(SECRET);
		expect(await decrypted({ message: sent.replaceAll('\n', '') })).toBe(SECRET);
	});

	it('is decrypted with the right one of several keys, one of them without a passphrase', async () => {
		const open = await keyrings.agency.exportPrivate([await keyrings.add('open', '')], '');
		const anonymous = await keyrings.encryptTo('modern', SECRET, ANONYMOUS);

		for (const privateKey of [
			await keyrings.privateKey('nist', 'modern'),
			[open, await keyrings.privateKey('nist'), key].join('\n'),
		]) {
			expect(await decrypted({ privateKey })).toBe(SECRET);
		}
		expect(
			await decrypted({
				privateKey: await keyrings.privateKey('nist', 'modern'),
				message: anonymous,
			}),
		).toBe(SECRET);
	});

	it('is the one of several messages that is encrypted to the key', async () => {
		const earlier = await keyrings.encryptTo('nist', 'another');

		expect(await decrypted({ message: `${earlier}\n${message}` })).toBe(SECRET);
	});

	it('is decrypted with a passphrase with spaces around it, whether they belong to it or not', async () => {
		const spaced = ' x ';
		const id = await keyrings.add('spaced', spaced);
		const privateKey = await keyrings.agency.exportPrivate([id], spaced);
		const sent = await keyrings.operator.encrypt(SECRET, id);

		expect(await decrypted({ message: sent, privateKey, passphrase: spaced })).toBe(SECRET);
		expect(await decrypted({ passphrase: ` ${PASSPHRASE} ` })).toBe(SECRET);
	});
});

describe('a secret that was decrypted', () => {
	it('is decrypted once', async () => {
		const privateKey = `${key}\n`;
		// What cryptography the host is asked for shows whether something is decrypted.
		const opened = jest.spyOn(webcrypto.subtle, 'importKey');
		await decrypted({ privateKey });
		const times = opened.mock.calls.length;

		expect(await decrypted({ privateKey })).toBe(SECRET);
		expect(times).toBeGreaterThan(0);
		expect(opened).toHaveBeenCalledTimes(times);
		jest.restoreAllMocks();
	});

	it('is known only to those who have everything that it was decrypted from', async () => {
		const encrypted = {
			message: await keyrings.encryptTo('modern'),
			privateKey: key,
			passphrase: PASSPHRASE,
		};

		expect(decryptedSoFar(encrypted)).toBeUndefined();

		await decryptSecret(encrypted);

		expect(decryptedSoFar(encrypted)).toBe(SECRET);
		for (const change of [{ passphrase: 'other' }, { privateKey: 'other' }, { message: 'other' }]) {
			const changed = { ...encrypted, ...change };
			await expect(decryptSecret(changed)).rejects.toThrow(ServiceError);
			expect(decryptedSoFar(changed)).toBeUndefined();
		}
	});
});

describe('what cannot be decrypted is told from the other fields:', () => {
	it.each<[string, (text: string) => string]>([
		['that is none', () => SECRET],
		['that is cut off', (text) => text.slice(0, 300)],
		['without its beginning', (text) => text.slice(40)],
		['with changed data', (text) => text.replace('\n\n', '\n\nAAAA')],
	])('a block %s', async (_, change) => {
		expect((await failure({ message: change(message) })).message).toBe(
			'“Encrypted Secret” does not contain a whole OpenPGP message',
		);
		expect((await failure({ privateKey: change(key) })).message).toBe(
			'“Private Key” does not contain a whole OpenPGP private key',
		);
	});

	it('a message that is encrypted to no key, or whose content was changed', async () => {
		const input = { input: SECRET, passphrase: 'shared' };
		const symmetric = await keyrings.operator.run(['--armor', '--symmetric'], input);
		const packets = await keyrings.agency.run(['--dearmor'], { input: message });
		packets.writeUInt8(packets.readUInt8(packets.length - 1) ^ 1, packets.length - 1);

		for (const faulty of [symmetric.toString(), armoured('MESSAGE', packets)]) {
			const error = await failure({ message: faulty });
			expect(error.message).toBe('The message in “Encrypted Secret” cannot be decrypted');
			expect(error.helpCode).toBe('secretFaulty');
		}
	});

	it('another key, with the ones that are needed and the one that is there', async () => {
		const privateKey = await keyrings.privateKey('nist');
		const others = await keyrings.encryptTo('modern', SECRET, [
			'--recipient',
			'operator@example.com',
		]);

		const { message: sentence, details } = await failure({ message: others, privateKey });

		expect(sentence).toMatch(
			/does not match .* \(it needs [0-9A-F]{16}, [0-9A-F]{16}, and this is /,
		);
		expect(sentence).toContain(keyrings.fingerprint('nist').slice(-16));
		expect(details.remedy).toMatch(/^Paste the private part of the key .+ make a new key/);
	});

	it.each(['other', ' ', ''])('the passphrase %j', async (passphrase) => {
		expect((await failure({ passphrase })).message).toBe(
			'“Passphrase” does not open the key in “Private Key”',
		);
	});

	it('a key without its private part', async () => {
		const stub = await withoutPrivatePart();

		expect((await failure({ privateKey: stub })).message).toBe(
			'“Passphrase” does not open the key in “Private Key”',
		);
	});

	it.each([
		['unpacks to far too much', 'a'.repeat(2_000_000), 'cannot be decrypted'],
		['is empty', '\ufeff \r\n\n', 'is not one line of text'],
		['has several lines', `${SECRET}\n${SECRET}`, 'is not one line of text'],
		['has several lines of an old Mac', `${SECRET}\r${SECRET}`, 'is not one line of text'],
		['is not text', Buffer.from([0x41, 0xff, 0xfe]), 'is not one line of text'],
	])('a secret that %s', async (_, secret, words) => {
		const unusable = await keyrings.encryptTo('modern', secret);

		expect((await failure({ message: unusable })).message).toContain(words);
	});
});

/** The key without the private part of its subkey, as gpg writes one that is on a smart card (GnuPG's doc/DETAILS). */
async function withoutPrivatePart(): Promise<string> {
	const specifier = Buffer.from([0xff, 0, 0x65, 0, ...Buffer.from('GNU'), 2, 0]);
	const packets = await keyrings.agency.run(['--dearmor'], { input: key });
	const subkey = packets.lastIndexOf(Buffer.from([0xfe, 7, 3]));
	const start = packets.lastIndexOf(Buffer.from([0x9c, 0x8b, 4]), subkey);
	const end = start + 2 + packets.readUInt8(start + 1);
	const content = Buffer.concat([packets.subarray(start + 2, subkey), specifier]);
	const whole = [packets.subarray(0, start), Buffer.from([0x9c, content.length]), content];
	return armoured('PRIVATE KEY BLOCK', Buffer.concat([...whole, packets.subarray(end)]));
}

function armoured(name: string, packets: Buffer): string {
	return `-----BEGIN PGP ${name}-----\n\n${packets.toString('base64')}\n-----END PGP ${name}-----`;
}
