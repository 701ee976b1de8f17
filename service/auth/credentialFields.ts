import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { UNSEEN, withoutBlankEnds } from '../basics/tidy';
import { textOf } from '../basics/values';
import { ServiceError } from '../failure';
import { CREDENTIAL_LABELS } from '../labels';

/** The name of a field of a credential. */
export type CredentialField = keyof typeof CREDENTIAL_LABELS;

/** These fields hold several lines, with other text around them. */
const BLOCKS: CredentialField[] = ['encryptedSecret', 'privateKey'];

/**
 * The value of a field without blanks at its ends, empty if there is none.
 *
 * @throws ServiceError of kind `credential` if something that a person cannot see is in it
 */
export function text(credentials: ICredentialDataDecryptedObject, name: CredentialField): string {
	const value = withoutBlankEnds(textOf(credentials[name]));
	if (BLOCKS.includes(name)) return value;
	const invisibleAt = value.search(UNSEEN);
	if (invisibleAt < 0) return value;
	const message = `“${CREDENTIAL_LABELS[name]}” in the credential has an invisible character after character ${invisibleAt}`;
	const remedy = 'Delete the value and type it, or copy it from plain text.';
	throw new ServiceError('credential', message, { remedy });
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
