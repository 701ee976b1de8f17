import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import { requiredText } from './credentialFields';
import { CREDENTIAL_LABELS } from '../labels';

/** A field of the credential with a base address, to which requests add their paths. */
export interface AddressField {
	name: string;
	label: string;
	/** A path of a request that was pasted with the address, and surely is no part of it. */
	pasted: RegExp;
	/** A path that is mostly pasted by mistake, but may be a part of the address: it is refused, with advice. */
	doubtful?: string;
}

/** For the APIs whose token endpoint has its path fixed by the specification. */
export const AUTH_URL: AddressField = {
	name: 'authUrl',
	label: CREDENTIAL_LABELS.authUrl,
	pasted: /\/oauth2\/token$/,
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
	return withoutSlashes(addressAsEntered(credentials, field));
}

/**
 * A base address to the letter, but for a path that was pasted with it.
 *
 * @throws ServiceError of kind `credential` when the field is empty or holds no address
 */
export function addressAsEntered(
	credentials: ICredentialDataDecryptedObject,
	{ name, label, pasted, doubtful }: AddressField,
): string {
	const entered = requiredText(credentials, name, label);
	if (!isWebAddress(entered) || /[?#]/.test(entered)) {
		throw new ServiceError(
			'credential',
			`“${label}” in the credential is not a web address: it must start with https:// or http:// and contain no space, user name, “?” or “#”`,
		);
	}
	if (doubtful !== undefined && entered.endsWith(doubtful)) {
		throw new ServiceError(
			'credential',
			`“${label}” in the credential ends in ${doubtful}, which each request adds to it`,
			{
				remedy: `Leave ${doubtful} out. If the operator’s own address ends like that, put a slash after it.`,
			},
		);
	}
	const bare = withoutSlashes(entered);
	return pasted.test(bare) ? bare.replace(pasted, '') : entered;
}

/** The token endpoint below the Auth URL. */
export function tokenUrlBelowAuthUrl(credentials: ICredentialDataDecryptedObject): string {
	return `${baseAddress(credentials, AUTH_URL)}/oauth2/token`;
}

/** The token endpoint as the operator named it: a slash at its end or a query belongs to it. */
export function tokenUrlAsEntered(credentials: ICredentialDataDecryptedObject): string {
	const entered = requiredText(credentials, 'tokenUrl', CREDENTIAL_LABELS.tokenUrl);
	if (isWebAddress(entered) && !entered.includes('#')) return entered;
	throw new ServiceError(
		'credential',
		`“${CREDENTIAL_LABELS.tokenUrl}” in the credential is not a web address: it must start with https:// or http:// and contain no space, user name or “#”`,
	);
}

function withoutSlashes(address: string): string {
	return address.replace(/\/+$/, '');
}

/** URL drops line breaks and encodes spaces: text with one of them was no address. */
function isWebAddress(value: string): boolean {
	if (/\s/.test(value) || !URL.canParse(value)) return false;
	const { protocol, username, password } = new URL(value);
	return /^https?:$/.test(protocol) && !username && !password;
}
