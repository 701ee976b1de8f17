import { createHash } from 'node:crypto';

import type * as OpenPgp from '../../../vendor/openpgp';
import type { KeyID, Message, PrivateKey } from '../../../vendor/openpgp';
import { keepNewest } from '../../basics/remembered';
import { withoutBlankEnds } from '../../basics/tidy';
import type { ServiceError } from '../../failure';
import { blocksIn } from './armour';
import * as problems from './problems';

/** An encrypted secret, with the key and passphrase that decrypt it, as a person pasted them. */
export interface EncryptedSecret {
	message: string;
	privateKey: string;
	/** The passphrase of the private key; empty if the key has none. */
	passphrase: string;
}

type EncryptedMessage = Message<Uint8Array>;

/**
 * The decrypted secrets, by a hash of the credential's fields. They are kept in memory, because decrypting takes up to
 * a second.
 */
const decrypted = new Map<string, string>();

/**
 * The largest size of a decompressed message, in bytes: many times the length of any secret. Without this limit, a few
 * kilobytes could unpack to gigabytes.
 */
const SIZE_LIMIT = { maxDecompressedMessageSize: 1_000_000 };

/**
 * Decrypts a secret. The result is remembered, so the same secret is decrypted again only if one of the credential's
 * fields has changed.
 *
 * @throws ServiceError of kind `credential` that names the field to correct and says how
 */
export async function decryptSecret(encrypted: EncryptedSecret): Promise<string> {
	const secret = decryptedSoFar(encrypted) ?? (await decryptAnew(encrypted));
	decrypted.set(hashOf(encrypted), secret);
	keepNewest(decrypted);
	return secret;
}

/** Returns the plain secret if this process has decrypted it before. */
export function decryptedSoFar(encrypted: EncryptedSecret): string | undefined {
	return decrypted.get(hashOf(encrypted));
}

function hashOf({ message, privateKey, passphrase }: EncryptedSecret): string {
	const fields = JSON.stringify([message, privateKey, passphrase]);
	return createHash('sha256').update(fields).digest('base64url');
}

async function decryptAnew({ message, privateKey, passphrase }: EncryptedSecret): Promise<string> {
	const openpgp = await import('../../../vendor/openpgp');
	const messages = await readAll(blocksIn(message, 'MESSAGE'), problems.NO_BLOCK.message, (bytes) =>
		openpgp.readMessage({ binaryMessage: bytes, config: SIZE_LIMIT }),
	);
	const keyBlocks = blocksIn(privateKey, 'PRIVATE KEY BLOCK');
	const keys = await readAll(keyBlocks, problems.NO_BLOCK.privateKey, (bytes) =>
		openpgp.readPrivateKeys({ binaryKeys: bytes }),
	);
	const encrypted = messageFor(messages, keys.flat());
	const fitting = keys.flat().filter((key) => fits(key, encrypted));
	const unlocked = await unlock(openpgp, fitting, passphrase);
	return secretIn(await decryptMessage(openpgp, encrypted, unlocked));
}

/**
 * Reads OpenPGP blocks.
 *
 * @throws `problem` if there is no block, or if OpenPGP.js finds that a part of a block is missing or altered
 */
async function readAll<T>(
	blocks: Uint8Array[],
	problem: () => ServiceError,
	read: (block: Uint8Array) => Promise<T>,
): Promise<T[]> {
	if (blocks.length === 0) throw problem();
	return await Promise.all(blocks.map(read)).catch(() => {
		throw problem();
	});
}

/**
 * Finds the first message that is encrypted to one of the keys. There may be several messages, because a pasted email
 * may quote an earlier one.
 */
function messageFor(messages: EncryptedMessage[], keys: PrivateKey[]): EncryptedMessage {
	const found = messages.find((message) => keys.some((key) => fits(key, message)));
	if (found) return found;
	const needed = messages.flatMap((message) => message.getEncryptionKeyIDs());
	if (needed.length === 0) throw problems.unreadableMessage();
	const present = keys.flatMap((key) => key.getKeyIDs());
	throw problems.otherKey(idsOf(needed), idsOf(present));
}

/**
 * True if a message is encrypted to the key or to one of its subkeys. A message may also hide the ID of its key; such a
 * message fits every key.
 */
function fits(key: PrivateKey, message: EncryptedMessage): boolean {
	return message.getEncryptionKeyIDs().some((id) => key.getKeys(id).length > 0);
}

/** Writes key IDs in the form that gpg prints with --keyid-format long. */
function idsOf(ids: KeyID[]): string {
	return ids.map((id) => id.toHex().toUpperCase()).join(', ');
}

/**
 * Returns the keys that the passphrase unlocks. The export of a key that is on a smart card contains no private key to
 * unlock.
 */
async function unlock(
	openpgp: typeof OpenPgp,
	keys: PrivateKey[],
	entered: string,
): Promise<PrivateKey[]> {
	// The passphrase is tried as the person entered it, and also without blanks at its ends, which may have been copied
	// by mistake.
	const passphrase = [...new Set([entered, withoutBlankEnds(entered)])];
	const attempts = await Promise.allSettled(
		keys.map(async (privateKey) =>
			privateKey.isDecrypted() ? privateKey : await openpgp.decryptKey({ privateKey, passphrase }),
		),
	);
	const unlocked = attempts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
	if (unlocked.length > 0) return unlocked;
	throw problems.lockedKey();
}

async function decryptMessage(
	openpgp: typeof OpenPgp,
	message: EncryptedMessage,
	decryptionKeys: PrivateKey[],
): Promise<unknown> {
	const options = { message, decryptionKeys, format: 'binary' as const, config: SIZE_LIMIT };
	try {
		const plain: { data: unknown } = await openpgp.decrypt(options);
		return plain.data;
	} catch {
		throw problems.unreadableMessage();
	}
}

/**
 * Returns the secret, which is the only line of the decrypted text, without the blanks that some programs add at its
 * ends.
 */
function secretIn(data: unknown): string {
	const bytes = data instanceof Uint8Array ? data : new Uint8Array();
	const secret = withoutBlankEnds(new TextDecoder().decode(bytes));
	if (secret === '' || /[\r\n\ufffd]/.test(secret)) throw problems.noSecret();
	return secret;
}
