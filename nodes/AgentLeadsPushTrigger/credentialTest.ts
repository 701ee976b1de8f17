import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { textOf } from '../../service/basics/values';
import { CREDENTIAL_LABELS } from '../../service/labels';
import { quoted } from '../common/labels';

/**
 * Matches a key or secret of 24 or more printable ASCII characters, too many to guess if they are random. Neither end
 * is a space, because an HTTP header cannot contain a space there (RFC 9110 §5.5).
 */
const FIT_SECRET = /^[\x21-\x7e][\x20-\x7e]{22,}[\x21-\x7e]$/;

/**
 * Checks that the fields of the credential are complete. The test cannot ask the operator, so the first pushed lead
 * shows whether the operator has the same key.
 */
export async function checkPushCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const problem = problemOfFields(data);
	const message =
		problem ??
		'The fields are complete. n8n cannot test them with the operator: the first pushed lead will show whether the operator uses the same key.';
	return await Promise.resolve({ status: problem === undefined ? 'OK' : 'Error', message });
}

function problemOfFields(data: ICredentialDataDecryptedObject): string | undefined {
	const isByKey = data.authentication !== 'clientCredentials';
	if (!isByKey && !data.clientId) {
		return `${quoted(CREDENTIAL_LABELS.clientId)} is empty. Make one up, such as the name of your agency.`;
	}
	const [label, secret, next] = isByKey
		? ['API Key', data.apiKey, data.nextApiKey]
		: [CREDENTIAL_LABELS.clientSecret, data.clientSecret, data.nextClientSecret];
	const isFit = FIT_SECRET.test(textOf(secret));
	if (isFit && (!next || FIT_SECRET.test(textOf(next)))) return undefined;
	return `${quoted(isFit ? `Next ${label}` : label)} must have 24 or more letters, digits and hyphens, and no space at an end: a shorter one could be guessed.`;
}
