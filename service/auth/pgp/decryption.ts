import { createHash } from 'node:crypto';

import type * as OpenPgp from '../../../vendor/openpgp';
import type { KeyID, Message, PrivateKey } from '../../../vendor/openpgp';
import { keepNewest } from '../../basics/newest';
import { ServiceError } from '../../failure';
import { withoutBlankEnds } from '../credentialFields';
import { readArmour } from './armour';
import type { Pasted } from './problems';
import {
	armourProblem,
	EMPTY_SECRET,
	LONG_SECRET,
	NEEDLESS_PASSPHRASE,
	NO_PASSPHRASE,
	NOT_ENCRYPTED,
	NOT_TEXT,
	otherKey,
	problem,
	SEVERAL_LINES,
	UNPROTECTED_MESSAGE,
	UNREADABLE_MESSAGE,
	UNUSABLE_KEY,
	WRONG_PASSPHRASE,
} from './problems';

/** What it takes to decrypt a secret, as it was pasted. */
export interface EncryptedSecret {
	message: string;
	privateKey: string;
	/** Empty if the key has none. */
	passphrase: string;
}

/** What was decrypted, or a ServiceError about the fields. */
interface Decryption {
	outcome: Promise<string>;
	plain?: string;
}

type EncryptedMessage = Message<Uint8Array>;

/**
 * What was decrypted, by a hash of what it was decrypted from, the least recently used first. It is
 * kept in memory alone. A mistake in the fields is kept as well: finding it takes as long. Any other
 * failure is not kept.
 */
const decryptions = new Map<string, Decryption>();

/** A process that runs for months must not keep every secret that there ever was. */
const MOST_DECRYPTIONS = 50;

/** Many times the length of any secret, in bytes: anything longer is not a secret. */
const LONGEST_SECRET = 1_000_000;

const SIZE_LIMIT = { maxDecompressedMessageSize: LONGEST_SECRET };

/** A part of what OpenPGP.js says about a failure, and the sentence that we have for it. */
const KNOWN_REASONS = new Map([
	['Maximum decompressed message size exceeded', LONG_SECRET],
	['Message is not authenticated', UNPROTECTED_MESSAGE],
]);

/**
 * Decrypts a secret, and again only after something about it has changed. Parallel calls share the work.
 *
 * @throws ServiceError of kind `credential` that names the field and the way out
 */
export async function decryptSecret(encrypted: EncryptedSecret): Promise<string> {
	const key = hashOf(encrypted);
	const decryption = decryptions.get(key) ?? startDecryption(key, encrypted);
	decryptions.delete(key);
	decryptions.set(key, decryption);
	keepNewest(decryptions, MOST_DECRYPTIONS);
	return await decryption.outcome;
}

/** The plain secret, if it was decrypted before. */
export function decryptedSoFar(encrypted: EncryptedSecret): string | undefined {
	return decryptions.get(hashOf(encrypted))?.plain;
}

function startDecryption(key: string, encrypted: EncryptedSecret): Decryption {
	const decryption: Decryption = { outcome: decryptAnew(encrypted) };
	decryption.outcome.then(
		(plain) => (decryption.plain = plain),
		(error) => error instanceof ServiceError || decryptions.delete(key),
	);
	return decryption;
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
	const usable = usableKeys(keysFor(encrypted, keys), encrypted);
	const unlocked = await unlockKeys(openpgp, usable, passphrase);
	return secretIn(await decryptMessage(openpgp, encrypted, unlocked));
}

function pastedBlocks(text: string, wanted: Pasted): Uint8Array[] {
	const read = readArmour(text, wanted);
	if ('trouble' in read) throw armourProblem(wanted, read.trouble);
	return read.blocks;
}

async function orDamaged<T>(pasted: Pasted, reading: Promise<T>): Promise<T> {
	try {
		return await reading;
	} catch {
		throw armourProblem(pasted, 'damaged');
	}
}

/** The first message that is encrypted to one of the keys: a mail may quote an earlier one. */
function messageFor(messages: EncryptedMessage[], keys: PrivateKey[]): EncryptedMessage {
	const found = messages.find((message) => keysFor(message, keys).length > 0);
	if (found) return found;
	const ids = messages.flatMap((message) => message.getEncryptionKeyIDs());
	throw ids.length === 0
		? problem(NOT_ENCRYPTED)
		: otherKey(keyIdNames(ids), keyIdNames(keys.flatMap(keyIdsOf)));
}

/** The keys that the message may be encrypted to: it can leave that open, and then any may be. */
function keysFor(encrypted: EncryptedMessage, keys: PrivateKey[]): PrivateKey[] {
	const ids = encrypted.getEncryptionKeyIDs();
	return keys.filter((key) => ids.some((id) => key.getKeys(id).length > 0));
}

/** The keys that contain their private part: the export of a key on a smart card does not. */
function usableKeys(keys: PrivateKey[], encrypted: EncryptedMessage): PrivateKey[] {
	const ids = encrypted.getEncryptionKeyIDs();
	const complete = keys.filter((key) => ids.flatMap((id) => key.getKeys(id)).some(hasPrivatePart));
	if (complete.length === 0) throw problem(UNUSABLE_KEY);
	return complete;
}

function hasPrivatePart({ keyPacket }: ReturnType<PrivateKey['getKeys']>[number]): boolean {
	return 'isMissingSecretKeyMaterial' in keyPacket && !keyPacket.isMissingSecretKeyMaterial();
}

function keyIdsOf(key: PrivateKey): KeyID[] {
	return key.getKeyIDs();
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
	if (keys.every((key) => key.isDecrypted())) {
		if (passphrase.trim() !== '') throw problem(NEEDLESS_PASSPHRASE);
		return keys;
	}
	if (passphrase.trim() === '') throw problem(NO_PASSPHRASE);
	const attempts = await Promise.allSettled(
		keys.map(async (privateKey) => {
			if (privateKey.isDecrypted()) return privateKey;
			// A space may have been copied with it, or may belong to it.
			const candidates = [...new Set([passphrase, passphrase.trim()])];
			return await openpgp.decryptKey({ privateKey, passphrase: candidates });
		}),
	);
	const unlocked = attempts.flatMap((attempt) =>
		attempt.status === 'fulfilled' ? attempt.value : [],
	);
	if (unlocked.length > 0) return unlocked;
	const reasons = attempts.flatMap((attempt) =>
		attempt.status === 'rejected' ? reasonOf(attempt.reason) : [],
	);
	throw reasons.some((reason) => reason.includes('Incorrect key passphrase'))
		? problem(WRONG_PASSPHRASE)
		: problem(UNUSABLE_KEY, reasons[0]);
}

async function decryptMessage(
	openpgp: typeof OpenPgp,
	message: EncryptedMessage,
	decryptionKeys: PrivateKey[],
): Promise<Uint8Array> {
	const options = { message, decryptionKeys, format: 'binary' as const, config: SIZE_LIMIT };
	let decrypted: { data: unknown };
	try {
		decrypted = await openpgp.decrypt(options);
	} catch (error) {
		throw unreadableMessage(message, reasonOf(error));
	}
	if (!(decrypted.data instanceof Uint8Array)) throw problem(UNREADABLE_MESSAGE);
	return decrypted.data;
}

function unreadableMessage(message: EncryptedMessage, reason: string): ServiceError {
	const known = [...KNOWN_REASONS].find(([words]) => reason.includes(words));
	if (known) return problem(known[1]);
	const isAnonymous = message.getEncryptionKeyIDs().some((id) => /^0+$/.test(id.toHex()));
	return isAnonymous ? otherKey() : problem(UNREADABLE_MESSAGE, reason);
}

/** The one line of the plain text, without the blanks that tools add at its ends. */
function secretIn(data: Uint8Array): string {
	if (data.length > LONGEST_SECRET) throw problem(LONG_SECRET);
	let secret: string;
	try {
		secret = new TextDecoder('utf-8', { fatal: true }).decode(data);
	} catch {
		throw problem(NOT_TEXT);
	}
	secret = withoutBlankEnds(secret);
	if (secret === '') throw problem(EMPTY_SECRET);
	if (/[\r\n]/.test(secret)) throw problem(SEVERAL_LINES);
	return secret;
}

function reasonOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
