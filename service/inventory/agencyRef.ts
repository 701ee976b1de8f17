import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { requiredText } from '../auth/credentialFields';
import { plainCharacters } from '../basics/tidy';
import { textOf } from '../basics/values';
import { ServiceError } from '../failure';
import { CREDENTIAL_LABELS } from '../labels';

/**
 * Returns the text of an AgencyRef (the ID of an agency in requests) if an HTTP header can contain it, so without line
 * breaks; undefined for any other value.
 */
export function toAgencyRef(value: unknown): string | undefined {
	const text = plainCharacters(textOf(value));
	return /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : undefined;
}

/**
 * Makes a text that identifies an agency: its AgencyRef (its ID in requests) in lower case, because the service ignores
 * case.
 */
export function agencyKey(agencyRef: string): string {
	return agencyRef.toLowerCase();
}

/**
 * Reads from the credential the AgencyRef, which is the ID of an agency in requests.
 *
 * @throws ServiceError of kind `credential` if it is empty, or contains characters that are not allowed
 */
export function agencyRefOf(credentials: ICredentialDataDecryptedObject): string {
	const valid = toAgencyRef(requiredText(credentials, 'agencyRef'));
	if (valid !== undefined) return valid;
	const message = `“${CREDENTIAL_LABELS.agencyRef}” in the credential contains characters that are not allowed`;
	const remedy =
		'It has 36 letters, digits and hyphens. Copy it again from what the operator emailed you.';
	throw new ServiceError('credential', message, { remedy });
}

/** Adds the header AgencyRef (the ID of an agency) from the credential to a request that has no such header. */
export function withAgency<T extends { headers?: object }>(
	credentials: ICredentialDataDecryptedObject,
	options: T,
): T {
	const names = Object.keys(options.headers ?? {}).map((name) => name.toLowerCase());
	if (names.includes('agencyref')) return options;
	return { ...options, headers: { ...options.headers, AgencyRef: agencyRefOf(credentials) } };
}
