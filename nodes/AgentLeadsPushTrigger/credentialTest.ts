import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { CREDENTIAL_LABELS } from '../../service/labels';
import { quoted } from '../common/labels';

/** The least length of a key: so many random letters and digits cannot be guessed. */
const SHORTEST_SECRET = 24;

/** Matches a text that a header may contain, without spaces at its ends (RFC 9110 §5.5). */
const FIT_FOR_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Checks the fields of the credential. It cannot ask the operator: the first lead shows whether the operator has the
 * same key.
 */
export async function checkPushCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const problem = problemOfFields(data);
	const message =
		problem ??
		'The fields are complete. n8n cannot test them with the operator: the first pushed lead will show whether the operator uses the same.';
	return await Promise.resolve({ status: problem === undefined ? 'OK' : 'Error', message });
}

function problemOfFields(data: ICredentialDataDecryptedObject): string | undefined {
	const problemOfNext = (field: string, secret: unknown) =>
		secret ? problemOfSecret(field, secret) : undefined;
	if (data.authentication !== 'clientCredentials') {
		return (
			problemOfSecret('API Key', data.apiKey) ?? problemOfNext('Next API Key', data.nextApiKey)
		);
	}
	if (!data.clientId)
		return `${quoted(CREDENTIAL_LABELS.clientId)} is empty. Make one up, such as the name of your agency.`;
	return (
		problemOfSecret(CREDENTIAL_LABELS.clientSecret, data.clientSecret) ??
		problemOfNext('Next Client Secret', data.nextClientSecret)
	);
}

function problemOfSecret(field: string, secret: unknown): string | undefined {
	if (typeof secret !== 'string' || secret === '') return `${quoted(field)} is empty.`;
	if (!FIT_FOR_HEADER.test(secret)) {
		return `${quoted(field)} has a space at an end, or a character that a header cannot hold. Use letters, digits and hyphens.`;
	}
	if (secret.length >= SHORTEST_SECRET) return undefined;
	return `${quoted(field)} is too short: it could be guessed. Use ${SHORTEST_SECRET} characters or more.`;
}
