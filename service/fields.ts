import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ServiceError } from './errors';

/** Pasted values often bring a space or a line break along. */
export function text(credentials: ICredentialDataDecryptedObject, name: string): string {
	const value = credentials[name];
	return typeof value === 'string' ? value.trim() : '';
}

/**
 * @param remedy what to do where it is empty, if there is more to say than to fill it in
 * @throws ServiceError of kind `credential` when the field is empty
 */
export function requiredText(
	credentials: ICredentialDataDecryptedObject,
	name: string,
	label: string,
	remedy?: string,
): string {
	const value = text(credentials, name);
	if (value === '') {
		throw new ServiceError('credential', `“${label}” is empty in the credential`, { remedy });
	}
	return value;
}
