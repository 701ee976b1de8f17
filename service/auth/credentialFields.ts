import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { UNSEEN, withoutBlankEnds } from '../basics/tidy';
import { textOf } from '../basics/values';
import { ServiceError } from '../failure';
import { CREDENTIAL_LABELS } from '../labels';

/** The name of a field of a credential. */
export type CredentialField = keyof typeof CREDENTIAL_LABELS;

/** The credential fields into which a person pastes several lines, possibly with other text around them. */
const BLOCKS: CredentialField[] = ['encryptedSecret', 'privateKey'];

/**
 * Matches the label of a field at the start of a value, where a person pasted the label by mistake: “Client ID: abc”,
 * “client_secret=abc”.
 */
const LABEL = new RegExp(
	`^(?:${Object.values(CREDENTIAL_LABELS)
		.map((label) => label.split(/ |(?<=[a-z])(?=[A-Z])/).join('[ _-]*'))
		.join('|')})(?= *[:=])`,
	'i',
);

/**
 * Reads a credential field and removes blanks at its ends. The result is empty if the field is empty.
 *
 * @throws ServiceError of kind `credential` if the value contains an invisible character, or starts with the label of a
 * field; a field for several lines may contain both
 */
export function text(credentials: ICredentialDataDecryptedObject, name: CredentialField): string {
	const value = withoutBlankEnds(textOf(credentials[name]));
	if (BLOCKS.includes(name)) return value;
	const field = `“${CREDENTIAL_LABELS[name]}” in the credential`;
	const invisibleAt = value.search(UNSEEN);
	if (invisibleAt >= 0) {
		const message = `${field} has an invisible character after character ${invisibleAt}`;
		const remedy = 'Delete the value and type it, or copy it from plain text.';
		throw new ServiceError('credential', message, { remedy });
	}
	const [label] = LABEL.exec(value) ?? [];
	if (label === undefined) return value;
	const remedy = `Enter only what follows “${label}”.`;
	throw new ServiceError('credential', `${field} begins with the label “${label}”`, { remedy });
}

/**
 * Reads a field that must not be empty.
 *
 * @param remedy the advice for an empty field, if the usual advice is not enough
 * @throws ServiceError of kind `credential` if the field is empty
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
