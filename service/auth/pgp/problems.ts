import type { ErrorCode } from '../../errorCodes';
import { ServiceError } from '../../failure';
import { CREDENTIAL_LABELS, SECRET_FORMATS } from '../../labels';

/** What a person pastes for a secret that came as an OpenPGP message. */
export type Pasted = 'message' | 'privateKey';

const SECRET_FIELD = `“${CREDENTIAL_LABELS.encryptedSecret}”`;
const KEY_FIELD = `“${CREDENTIAL_LABELS.privateKey}”`;
const PASSPHRASE_FIELD = `“${CREDENTIAL_LABELS.passphrase}”`;

const FIELDS: Record<Pasted, { name: string; content: string; copyAgain: string }> = {
	message: {
		name: SECRET_FIELD,
		content: 'message',
		copyAgain:
			'Copy the whole message that the operator sent, from the line BEGIN PGP MESSAGE to the line END PGP MESSAGE, and paste it there.',
	},
	privateKey: {
		name: KEY_FIELD,
		content: 'private key',
		copyAgain:
			'Export the key with gpg --armor --export-secret-keys, copy the whole block, from the line BEGIN PGP PRIVATE KEY BLOCK to the line END PGP PRIVATE KEY BLOCK, and paste it there.',
	},
};

/** What to do if a field is empty. */
export function copyAgain(pasted: Pasted): string {
	return FIELDS[pasted].copyAgain;
}

/** No OpenPGP block is in the field. */
export function noBlock(pasted: Pasted): ServiceError {
	const { name, content, copyAgain: remedy } = FIELDS[pasted];
	const plain = `If the secret came as plain text, set “${CREDENTIAL_LABELS.secretFormat}” to “${SECRET_FORMATS.plain}”.`;
	return problem('secretUnreadable', `${name} does not contain an OpenPGP ${content}`, [
		remedy,
		...(pasted === 'message' ? [plain] : []),
	]);
}

/** The block in the field is cut off or changed. */
export function damagedBlock(pasted: Pasted): ServiceError {
	const { name, content, copyAgain: remedy } = FIELDS[pasted];
	const message = `The ${content} in ${name} is damaged: a part of it is missing or changed`;
	return problem('secretUnreadable', message, [remedy]);
}

/** Another kind of block is in the field. */
export function otherBlock(pasted: Pasted, instead: string): ServiceError {
	const { name, content, copyAgain: remedy } = FIELDS[pasted];
	const message = `${name} contains a PGP ${instead} instead of the ${content}`;
	return problem('secretUnreadable', message, [remedy]);
}

/** A part of a message that was lost in copying may show only now. */
const COPY_FIRST = `${FIELDS.message.copyAgain} If that does not help,`;

export function notEncrypted(): ServiceError {
	return problem('secretFaulty', `The message in ${SECRET_FIELD} is not encrypted to a key`, [
		`${COPY_FIRST} ask the operator to encrypt the secret to the public part of your key.`,
	]);
}

const NEW_PAIR =
	'If you no longer have that, make a new key, send its public part to the operator of the service and ask for a new client ID and secret.';

/** @param ids of the keys, which are public, and tell a person with several keys which one it is */
export function otherKey(ids?: { needed: string; present: string }): ServiceError {
	const which = ids ? ` (it needs ${ids.needed}, and this is ${ids.present})` : '';
	const message = `The key in ${KEY_FIELD} does not match the message in ${SECRET_FIELD}${which}`;
	return problem('wrongKey', message, [
		`Paste the private part of the key whose public part you sent to the operator. ${NEW_PAIR}`,
	]);
}

export function wrongPassphrase(isEmpty: boolean): ServiceError {
	const message = isEmpty
		? `${PASSPHRASE_FIELD} is empty, and the key in ${KEY_FIELD} has one`
		: `${PASSPHRASE_FIELD} does not open the key in ${KEY_FIELD}`;
	return problem('passphrase', message, [
		`Enter the passphrase that you chose when you made this key. ${NEW_PAIR}`,
	]);
}

/** @param reason what OpenPGP.js says */
export function unusableKey(reason?: unknown): ServiceError {
	return problem('wrongKey', `The key in ${KEY_FIELD} cannot be used`, [
		'Export it again with gpg --armor --export-secret-keys on the computer where it was made. A key on a smart card cannot be used here.',
		...quoted(reason),
	]);
}

/** @param reason what OpenPGP.js says */
export function unreadableMessage(reason: unknown): ServiceError {
	return problem('secretFaulty', `The message in ${SECRET_FIELD} cannot be decrypted`, [
		`${COPY_FIRST} ask the operator to encrypt the secret to your key again, with GnuPG 2.2 or newer or with another current tool.`,
		...quoted(reason),
	]);
}

export function noSecret(): ServiceError {
	return problem('secretFaulty', `The decrypted ${SECRET_FIELD} is not one line of text`, [
		'Ask the operator to encrypt the secret to your key again, as plain text and with nothing else.',
	]);
}

function quoted(reason: unknown): string[] {
	if (!(reason instanceof Error)) return [];
	return [`OpenPGP.js says: “${reason.message.slice(0, 200).replace(/\.$/, '')}”.`];
}

function problem(helpCode: ErrorCode, message: string, remedies: string[]): ServiceError {
	const remedy = remedies.join(' ');
	return new ServiceError('credential', message, { requestKind: 'token', remedy, helpCode });
}
