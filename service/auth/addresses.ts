import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import type { CredentialField } from './credentialFields';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS } from '../labels';

/**
 * Reads the URL in a field as the person entered it, apart from blanks at its ends. A path of a request is removed from
 * the end of a base address, because people often paste the two together.
 *
 * @param pasted only for a base address, to which requests add their paths: matches such a path at its end, with any
 * slashes after it
 * @throws ServiceError of kind `credential` if the field is empty or contains no web address
 */
export function addressAsEntered(
	credentials: ICredentialDataDecryptedObject,
	name: CredentialField,
	pasted?: RegExp,
): string {
	const entered = requiredText(credentials, name);
	const isBase = pasted !== undefined;
	if (isWebAddress(entered) && !(isBase && entered.includes('?'))) {
		return isBase ? entered.replace(pasted, '') : entered;
	}
	const message = `“${CREDENTIAL_LABELS[name]}” in the credential is not a web address: it must start with https:// or http:// and contain no space, user name or “#”, and no “?” except in Token URL`;
	throw new ServiceError('credential', message);
}

/** Reads a base address with `addressAsEntered`, and removes slashes at its end. */
export function baseAddress(
	credentials: ICredentialDataDecryptedObject,
	name: CredentialField,
	pasted: RegExp,
): string {
	return addressAsEntered(credentials, name, pasted).replace(/\/+$/, '');
}

/**
 * Makes the URL of the token endpoint from the field Auth URL, for the APIs whose specification fixes the path of this
 * endpoint.
 */
export function tokenUrlBelowAuthUrl(credentials: ICredentialDataDecryptedObject): string {
	return `${baseAddress(credentials, 'authUrl', /\/oauth2\/token\/*$/)}/oauth2/token`;
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
