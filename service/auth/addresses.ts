import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import type { CredentialField } from './credentialFields';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS } from '../labels';

/** A field of the credential with a base address, to which requests add their paths. */
export interface AddressField {
	name: CredentialField;
	/** The path of a request at the end, with any slashes behind it: people paste it with the address. */
	pasted: RegExp;
}

/** For the APIs whose token endpoint has its path fixed by the specification. */
const AUTH_URL: AddressField = {
	name: 'authUrl',
	pasted: /\/oauth2\/token\/*$/,
};

/**
 * A base address, without a slash at its end.
 *
 * @throws ServiceError of kind `credential` when the field is empty or holds no address
 */
export function baseAddress(
	credentials: ICredentialDataDecryptedObject,
	field: AddressField,
): string {
	return addressAsEntered(credentials, field).replace(/\/+$/, '');
}

/**
 * A base address to the letter, but for a path that was pasted with it.
 *
 * @throws ServiceError of kind `credential` when the field is empty or holds no address
 */
export function addressAsEntered(
	credentials: ICredentialDataDecryptedObject,
	{ name, pasted }: AddressField,
): string {
	const entered = requiredText(credentials, name);
	if (!isWebAddress(entered) || entered.includes('?')) {
		throw noAddress(name);
	}
	return entered.replace(pasted, '');
}

/** The token endpoint below the Auth URL. */
export function tokenUrlBelowAuthUrl(credentials: ICredentialDataDecryptedObject): string {
	return `${baseAddress(credentials, AUTH_URL)}/oauth2/token`;
}

/** The token endpoint as the operator named it: a slash at its end or a query belongs to it. */
export function tokenUrlAsEntered(credentials: ICredentialDataDecryptedObject): string {
	const entered = requiredText(credentials, 'tokenUrl');
	if (isWebAddress(entered)) return entered;
	throw noAddress('tokenUrl');
}

function noAddress(name: CredentialField): ServiceError {
	const message = `“${CREDENTIAL_LABELS[name]}” in the credential is not a web address: it must start with https:// or http:// and contain no space, user name or “#”, and no “?” except in Token URL`;
	return new ServiceError('credential', message);
}

/** URL drops line breaks and encodes spaces: text with one of them was no address. A part behind “#” is never sent. */
function isWebAddress(value: string): boolean {
	if (/[\s#]/.test(value) || !URL.canParse(value)) return false;
	const { protocol, username, password } = new URL(value);
	return /^https?:$/.test(protocol) && !username && !password;
}
