import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import type { CredentialField } from './credentialFields';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS } from '../labels';

/** A field of the credential with a base address, to which requests add their paths. */
export interface AddressField {
	name: CredentialField;
	/** Matches the path of a request at the end of the address, with any slashes behind it: people paste both together. */
	pasted: RegExp;
}

/** The Auth URL of the APIs whose token endpoint has a path that the specification fixes. */
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
 * A base address exactly as the person entered it, without a path of a request that was pasted with it.
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

/** The token endpoint exactly as the operator gave it: a slash at its end or a query belongs to it. */
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
 * The class URL drops line breaks and encodes spaces, so it would accept text with one of them as an address. The part of an address
 * after “#” is never sent.
 */
function isWebAddress(value: string): boolean {
	if (/[\s#]/.test(value) || !URL.canParse(value)) return false;
	const { protocol, username, password } = new URL(value);
	return /^https?:$/.test(protocol) && !username && !password;
}
