import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from '../failure';
import { CREDENTIAL_LABELS } from '../labels';

/** The name of a field of a credential. */
export type CredentialField = keyof typeof CREDENTIAL_LABELS;

/** White space and characters without a width, such as a byte order mark. The second half tries each run of them once. */
const BLANK_ENDS =
	/^[\s\u00ad\u200b-\u200f\u2060\ufeff]+|(?<![\s\u00ad\u200b-\u200f\u2060\ufeff])[\s\u00ad\u200b-\u200f\u2060\ufeff]+$/g;

/** Text that is pasted or decrypted often brings a space, a line break or a byte order mark along. */
export function withoutBlankEnds(value: string): string {
	return value.replace(BLANK_ENDS, '');
}

/** The value of a field without blanks at its ends, empty if it is no text. */
export function text(credentials: ICredentialDataDecryptedObject, name: CredentialField): string {
	const value = credentials[name];
	return typeof value === 'string' ? withoutBlankEnds(value) : '';
}

/**
 * @param remedy what to do if it is empty and there is more to say than to fill it in
 * @throws ServiceError of kind `credential` when the field is empty
 */
export function requiredText(
	credentials: ICredentialDataDecryptedObject,
	name: CredentialField,
	remedy?: string,
): string {
	const value = text(credentials, name);
	if (value !== '') return value;
	const message = `“${CREDENTIAL_LABELS[name]}” is empty in the credential`;
	throw new ServiceError('credential', message, { remedy });
}
