import { createHash } from 'node:crypto';

import type * as OpenPgp from '../../../vendor/openpgp';
import type { KeyID, Message, PrivateKey } from '../../../vendor/openpgp';
import { keepNewest } from '../../basics/remembered';
import { withoutBlankEnds } from '../../basics/tidy';
import type { ServiceError } from '../../failure';
import { blocksIn } from './armour';
import * as problems from './problems';

/** What it takes to decrypt a secret, as it was pasted. */
export interface EncryptedSecret {
	message: string;
	privateKey: string;
	/** Empty if the key has none. */
	passphrase: string;
}

type EncryptedMessage = Message<Uint8Array>;

/** Decrypting takes up to a second: what was decrypted is kept in memory, by a hash of its fields. */
const decrypted = new Map<string, string>();

/** Many times the length of any secret, in bytes: a few kilobytes may unpack to gigabytes. */
const SIZE_LIMIT = { maxDecompressedMessageSize: 1_000_000 };

/**
 * Decrypts a secret, and again only after something about it has changed.
 *
 * @throws ServiceError of kind `credential` that names the field and the way out
 */
export async function decryptSecret(encrypted: EncryptedSecret): Promise<string> {
	const secret = decryptedSoFar(encrypted) ?? (await decryptAnew(encrypted));
	decrypted.set(hashOf(encrypted), secret);
	keepNewest(decrypted);
	return secret;
}

/** The plain secret, if it was decrypted before. */
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

/** @throws `problem` if there is no block, or OpenPGP.js finds that a part of one is missing or changed */
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

/** The first message that is encrypted to one of the keys: a mail may quote an earlier one. */
function messageFor(messages: EncryptedMessage[], keys: PrivateKey[]): EncryptedMessage {
	const found = messages.find((message) => keys.some((key) => fits(key, message)));
	if (found) return found;
	const needed = messages.flatMap((message) => message.getEncryptionKeyIDs());
	if (needed.length === 0) throw problems.unreadableMessage();
	const present = keys.flatMap((key) => key.getKeyIDs());
	throw problems.otherKey(idsOf(needed), idsOf(present));
}

/** Whether a message is encrypted to a part of the key: if the message names none, that may be any. */
function fits(key: PrivateKey, message: EncryptedMessage): boolean {
	return message.getEncryptionKeyIDs().some((id) => key.getKeys(id).length > 0);
}

/** Key IDs as gpg prints them with --keyid-format long. */
function idsOf(ids: KeyID[]): string {
	return ids.map((id) => id.toHex().toUpperCase()).join(', ');
}

/** The keys that the passphrase opens. The export of a key on a smart card has nothing to open. */
async function unlock(
	openpgp: typeof OpenPgp,
	keys: PrivateKey[],
	entered: string,
): Promise<PrivateKey[]> {
	// A space may have been copied with a passphrase, or may belong to it.
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

/** The one line of the plain text, without the blanks that tools add at its ends. */
function secretIn(data: unknown): string {
	const bytes = data instanceof Uint8Array ? data : new Uint8Array();
	const secret = withoutBlankEnds(new TextDecoder().decode(bytes));
	if (secret === '' || /[\r\n\ufffd]/.test(secret)) throw problems.noSecret();
	return secret;
}
