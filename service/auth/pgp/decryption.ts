import { createHash } from 'node:crypto';

import type * as OpenPgp from '../../../vendor/openpgp';
import type { KeyID, Message, PrivateKey } from '../../../vendor/openpgp';
import { keepNewest } from '../../basics/newest';
import { withoutBlankEnds } from '../credentialFields';
import { blocksIn, nameIn } from './armour';
import type { Pasted } from './problems';
import * as problems from './problems';

/** What it takes to decrypt a secret, as it was pasted. */
export interface EncryptedSecret {
	message: string;
	privateKey: string;
	/** Empty if the key has none. */
	passphrase: string;
}

interface Decryption {
	outcome: Promise<string>;
	plain?: string;
}

type EncryptedMessage = Message<Uint8Array>;

/** Decrypting takes up to a second: what was decrypted is kept in memory, by a hash of its fields. */
const decryptions = new Map<string, Decryption>();

const MOST_DECRYPTIONS = 20;

/** Many times the length of any secret, in bytes: a few kilobytes may unpack to gigabytes. */
const SIZE_LIMIT = { maxDecompressedMessageSize: 1_000_000 };

/**
 * Decrypts a secret, and again only after something about it has changed. Parallel calls share the work.
 *
 * @throws ServiceError of kind `credential` that names the field and the way out
 */
export async function decryptSecret(encrypted: EncryptedSecret): Promise<string> {
	const key = hashOf(encrypted);
	const known = decryptions.get(key);
	if (known) return await known.outcome;
	const decryption: Decryption = { outcome: decryptAnew(encrypted) };
	decryptions.set(key, decryption);
	keepNewest(decryptions, MOST_DECRYPTIONS);
	try {
		return (decryption.plain = await decryption.outcome);
	} finally {
		if (decryption.plain === undefined) decryptions.delete(key);
	}
}

/** The plain secret, if it was decrypted before. */
export function decryptedSoFar(encrypted: EncryptedSecret): string | undefined {
	return decryptions.get(hashOf(encrypted))?.plain;
}

function hashOf({ message, privateKey, passphrase }: EncryptedSecret): string {
	return createHash('sha256')
		.update(JSON.stringify([message, privateKey, passphrase]))
		.digest('base64url');
}

async function decryptAnew({ message, privateKey, passphrase }: EncryptedSecret): Promise<string> {
	const binaryMessages = pastedBlocks(message, 'message');
	const binaryKeys = Buffer.concat(pastedBlocks(privateKey, 'privateKey'));
	const openpgp = await import('../../../vendor/openpgp');
	const readings = binaryMessages.map(
		async (binaryMessage) => await openpgp.readMessage({ binaryMessage, config: SIZE_LIMIT }),
	);
	const messages = await orDamaged('message', Promise.all(readings));
	const keys = await orDamaged('privateKey', openpgp.readPrivateKeys({ binaryKeys }));
	const encrypted = messageFor(messages, keys);
	const unlocked = await unlockKeys(openpgp, usableKeys(keys, encrypted), passphrase);
	return secretIn(await decryptMessage(openpgp, encrypted, unlocked));
}

const BLOCK_NAMES: Record<Pasted, string> = { message: 'MESSAGE', privateKey: 'PRIVATE KEY BLOCK' };

function pastedBlocks(text: string, pasted: Pasted): Uint8Array[] {
	const wanted = BLOCK_NAMES[pasted];
	const blocks = blocksIn(text, wanted);
	if (blocks.length > 0) return blocks;
	const found = nameIn(text);
	if (found === undefined) throw problems.noBlock(pasted);
	throw found === wanted ? problems.damagedBlock(pasted) : problems.otherBlock(pasted, found);
}

async function orDamaged<T>(pasted: Pasted, reading: Promise<T>): Promise<T> {
	return await reading.catch(() => {
		throw problems.damagedBlock(pasted);
	});
}

/** The first message that is encrypted to one of the keys: a mail may quote an earlier one. */
function messageFor(messages: EncryptedMessage[], keys: PrivateKey[]): EncryptedMessage {
	const found = messages.find((message) => keyParts(keys, message).length > 0);
	if (found) return found;
	const needed = messages.flatMap((message) => message.getEncryptionKeyIDs());
	if (needed.length === 0) throw problems.notEncrypted();
	const present = keys.flatMap((key) => key.getKeyIDs());
	throw problems.otherKey({ needed: keyIdNames(needed), present: keyIdNames(present) });
}

/** The parts of keys that the message is encrypted to: if it names none, that may be any. */
function keyParts(
	keys: PrivateKey[],
	message: EncryptedMessage,
): ReturnType<PrivateKey['getKeys']> {
	const ids = message.getEncryptionKeyIDs();
	return keys.flatMap((key) => ids.flatMap((id) => key.getKeys(id)));
}

/** The keys that can decrypt the message: the export of a key on a smart card cannot. */
function usableKeys(keys: PrivateKey[], message: EncryptedMessage): PrivateKey[] {
	const usable = keys.filter((key) =>
		keyParts([key], message).some(
			({ keyPacket }) =>
				'isMissingSecretKeyMaterial' in keyPacket && !keyPacket.isMissingSecretKeyMaterial(),
		),
	);
	if (usable.length === 0) throw problems.unusableKey();
	return usable;
}

/** Key IDs as gpg prints them with --keyid-format long. */
function keyIdNames(ids: KeyID[]): string {
	return ids.map((id) => id.toHex().toUpperCase()).join(', ');
}

async function unlockKeys(
	openpgp: typeof OpenPgp,
	keys: PrivateKey[],
	passphrase: string,
): Promise<PrivateKey[]> {
	// A space may have been copied with a passphrase, or may belong to it.
	const candidates = [...new Set([passphrase, passphrase.trim()])];
	const attempts = await Promise.allSettled(
		keys.map(async (privateKey) =>
			privateKey.isDecrypted()
				? privateKey
				: await openpgp.decryptKey({ privateKey, passphrase: candidates }),
		),
	);
	const unlocked: PrivateKey[] = [];
	const failures: unknown[] = [];
	for (const attempt of attempts) {
		if (attempt.status === 'fulfilled') unlocked.push(attempt.value);
		else failures.push(attempt.reason);
	}
	if (unlocked.length > 0) return unlocked;
	const isEmpty = passphrase.trim() === '';
	if (isEmpty || failures.some((failure) => String(failure).includes('Incorrect key passphrase'))) {
		throw problems.wrongPassphrase(isEmpty);
	}
	throw problems.unusableKey(failures[0]);
}

async function decryptMessage(
	openpgp: typeof OpenPgp,
	message: EncryptedMessage,
	decryptionKeys: PrivateKey[],
): Promise<unknown> {
	const options = { message, decryptionKeys, format: 'binary' as const, config: SIZE_LIMIT };
	try {
		const decrypted: { data: unknown } = await openpgp.decrypt(options);
		return decrypted.data;
	} catch (error) {
		const isAnonymous = message.getEncryptionKeyIDs().some((id) => /^0+$/.test(id.toHex()));
		throw isAnonymous ? problems.otherKey() : problems.unreadableMessage(error);
	}
}

/** The one line of the plain text, without the blanks that tools add at its ends. */
function secretIn(data: unknown): string {
	if (!(data instanceof Uint8Array)) throw problems.noSecret();
	let secret: string;
	try {
		secret = withoutBlankEnds(new TextDecoder('utf-8', { fatal: true }).decode(data));
	} catch {
		throw problems.noSecret();
	}
	if (secret === '' || /[\r\n]/.test(secret)) throw problems.noSecret();
	return secret;
}
