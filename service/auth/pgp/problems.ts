import type { ErrorCode } from '../../errorCodes';
import { ServiceError } from '../../failure';
import type { ArmourKind, ArmourTrouble } from './armour';

/** What a person pastes for a secret that came as an OpenPGP message. */
export type Pasted = 'message' | 'privateKey';

/** What is wrong, naming the field, and what to do about it, in whole sentences. */
interface Explanation {
	message: string;
	remedy: string;
	helpCode: ErrorCode;
}

const NEW_PAIR =
	'If you no longer have that, make a new key, send its public part to the operator of the service and ask for a new client ID and secret.';

const PLAIN_TEXT = 'If the secret came as plain text, set “Secret Format” to “Plain Text”.';

const FIELDS: Record<Pasted, { name: string; content: string; copyAgain: string }> = {
	message: {
		name: '“Encrypted Secret”',
		content: 'message',
		copyAgain:
			'Copy the whole message that the operator sent, from the line BEGIN PGP MESSAGE to the line END PGP MESSAGE, and paste it there.',
	},
	privateKey: {
		name: '“Private Key”',
		content: 'private key',
		copyAgain:
			'Export the key with gpg --armor --export-secret-keys, copy the whole block, from the line BEGIN PGP PRIVATE KEY BLOCK to the line END PGP PRIVATE KEY BLOCK, and paste it there.',
	},
};

const BLOCKS: Record<ArmourKind, string> = {
	message: 'an encrypted message',
	privateKey: 'a private key',
	publicKey: 'a public key',
	other: 'a signature or a signed text',
};

/** What to do if a field is empty. */
export function copyAgain(pasted: Pasted): string {
	return FIELDS[pasted].copyAgain;
}

/** What is wrong with the text in one of the two fields. */
export function armourProblem(pasted: Pasted, trouble: ArmourTrouble): ServiceError {
	const { name, content, copyAgain } = FIELDS[pasted];
	const isPlain = pasted === 'message' && trouble === 'nothing';
	const remedy = isPlain ? `${copyAgain} ${PLAIN_TEXT}` : copyAgain;
	const message = describeTrouble(trouble, name, content);
	return problem({ message, remedy, helpCode: 'secretUnreadable' });
}

function describeTrouble(trouble: ArmourTrouble, field: string, content: string): string {
	switch (trouble) {
		case 'nothing':
			return `${field} does not contain an OpenPGP ${content}`;
		case 'cutOff':
			return `The ${content} in ${field} is cut off: its first or its last line is missing`;
		case 'damaged':
			return `The ${content} in ${field} is damaged: a part of it is missing or changed`;
		default:
			return `${field} contains ${BLOCKS[trouble.instead]} instead of the ${content}`;
	}
}

export const NOT_ENCRYPTED: Explanation = {
	message: 'The message in “Encrypted Secret” is not encrypted to a key',
	remedy: 'Ask the operator to encrypt the secret to the public part of your key.',
	helpCode: 'secretFaulty',
};

/** The key IDs are public, and tell a person with several keys which one it is. */
export function otherKey(needed?: string, present?: string): ServiceError {
	const ids = needed && present ? ` (it needs ${needed}, and this is ${present})` : '';
	return problem({
		message: `The key in “Private Key” does not match the message in “Encrypted Secret”${ids}`,
		remedy: `Paste the private part of the key whose public part you sent to the operator. ${NEW_PAIR}`,
		helpCode: 'wrongKey',
	});
}

export const WRONG_PASSPHRASE: Explanation = {
	message: '“Passphrase” does not open the key in “Private Key”',
	remedy: `Enter the passphrase that you chose when you made this key. ${NEW_PAIR}`,
	helpCode: 'passphrase',
};

export const NO_PASSPHRASE: Explanation = {
	message: '“Passphrase” is empty, and the key in “Private Key” has one',
	remedy: `Enter the passphrase that you chose when you made this key. ${NEW_PAIR}`,
	helpCode: 'passphrase',
};

export const NEEDLESS_PASSPHRASE: Explanation = {
	message: 'The key in “Private Key” has no passphrase, and “Passphrase” is not empty',
	remedy:
		'If this is the right key, empty “Passphrase”, or give the key a passphrase with gpg --passwd and export it again.',
	helpCode: 'passphrase',
};

export const UNUSABLE_KEY: Explanation = {
	message: 'The key in “Private Key” cannot be used',
	remedy:
		'Export it again with gpg --armor --export-secret-keys on the computer where it was made. A key on a smart card cannot be used here.',
	helpCode: 'wrongKey',
};

export const UNREADABLE_MESSAGE: Explanation = {
	message: 'The message in “Encrypted Secret” cannot be decrypted',
	remedy: 'Ask the operator to encrypt the secret to your key again.',
	helpCode: 'secretFaulty',
};

export const UNPROTECTED_MESSAGE: Explanation = {
	message: 'The message in “Encrypted Secret” is not protected against changes and was not used',
	remedy:
		'Ask the operator to encrypt the secret to your key again, with GnuPG 2.2 or newer or with another current tool.',
	helpCode: 'secretFaulty',
};

export const LONG_SECRET: Explanation = {
	message: 'The decrypted “Encrypted Secret” is too long to be a secret',
	remedy: 'Ask the operator to encrypt the secret to your key again, and nothing else.',
	helpCode: 'secretFaulty',
};

export const NOT_TEXT: Explanation = {
	message: 'The decrypted “Encrypted Secret” is not text',
	remedy: 'Ask the operator to encrypt the secret to your key again, as plain text.',
	helpCode: 'secretFaulty',
};

export const EMPTY_SECRET: Explanation = {
	message: 'The decrypted “Encrypted Secret” is empty',
	remedy: 'Ask the operator to encrypt the secret to your key again.',
	helpCode: 'secretFaulty',
};

export const SEVERAL_LINES: Explanation = {
	message: 'The decrypted “Encrypted Secret” has more than one line; a secret has only one',
	remedy: 'Ask the operator to encrypt the secret to your key again, and nothing else.',
	helpCode: 'secretFaulty',
};

/** @param reason what OpenPGP.js says, which is told after our own words */
export function problem({ message, remedy, helpCode }: Explanation, reason?: string): ServiceError {
	const quoted = reason?.slice(0, 200).replace(/\.$/, '');
	const words = quoted === undefined ? '' : ` OpenPGP.js says: “${quoted}”.`;
	return new ServiceError('credential', message, {
		requestKind: 'token',
		remedy: `${remedy}${words}`,
		helpCode,
	});
}
