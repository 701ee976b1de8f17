import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { withoutBlankEnds } from '../basics/tidy';
import { ServiceError } from '../failure';
import { CREDENTIAL_LABELS } from '../labels';

/** The name of a field of a credential. */
export type CredentialField = keyof typeof CREDENTIAL_LABELS;

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
