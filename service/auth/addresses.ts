import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import type { CredentialField } from './credentialFields';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS } from '../labels';

/** A field of the credential that contains a base address, to which the paths of requests are added. */
export interface AddressField {
	name: CredentialField;
	/**
	 * Matches the path of a request at the end of the address, with any slashes after it: people often paste the
	 * address with the path.
	 */
	pasted: RegExp;
}

/** The field Auth URL, for the APIs whose specification fixes the path of the token endpoint. */
const AUTH_URL: AddressField = {
	name: 'authUrl',
	pasted: /\/oauth2\/token\/*$/,
};

/**
 * Reads a base address, and removes slashes at its end.
 *
 * @throws ServiceError of kind `credential` if the field is empty or contains no web address
 */
export function baseAddress(
	credentials: ICredentialDataDecryptedObject,
	field: AddressField,
): string {
	return addressAsEntered(credentials, field).replace(/\/+$/, '');
}

/**
 * Reads a base address exactly as the person entered it. Only the path of a request that was pasted with it is removed.
 *
 * @throws ServiceError of kind `credential` if the field is empty or contains no web address
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

/** Makes the URL of the token endpoint from the field Auth URL. */
export function tokenUrlBelowAuthUrl(credentials: ICredentialDataDecryptedObject): string {
	return `${baseAddress(credentials, AUTH_URL)}/oauth2/token`;
}

/**
 * Reads the URL of the token endpoint exactly as the operator gave it: it may include a slash at its end, or a query.
 */
export function tokenUrlAsEntered(credentials: ICredentialDataDecryptedObject): string {
	const entered = requiredText(credentials, 'tokenUrl');
	if (isWebAddress(entered)) return entered;
	throw noAddress('tokenUrl');
}

function noAddress(name: CredentialField): ServiceError {
	const message = `“${CREDENTIAL_LABELS[name]}” in the credential is not a web address: it must start with https:// or http:// and contain no space, user name or “#”, and no “?” except in Token URL`;
	return new ServiceError('credential', message);
}

/**
 * True if a text is a web address. The class URL alone would not do as a check: it drops line breaks and encodes
 * spaces. A “#” is refused too, because the part after it is never sent.
 */
function isWebAddress(value: string): boolean {
	if (/[\s#]/.test(value) || !URL.canParse(value)) return false;
	const { protocol, username, password } = new URL(value);
	return /^https?:$/.test(protocol) && !username && !password;
}
