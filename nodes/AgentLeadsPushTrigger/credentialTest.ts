import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { CREDENTIAL_LABELS } from '../../service/labels';

/** A key of random letters and digits of this length cannot be guessed. */
const SHORTEST_SECRET = 24;

/** What a header may hold, without spaces at its ends (RFC 9110 §5.5). */
const FIT_FOR_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const SECRETS = {
	apiKey: [
		['API Key', 'apiKey'],
		['Next API Key', 'nextApiKey'],
	],
	clientCredentials: [
		[CREDENTIAL_LABELS.clientSecret, 'clientSecret'],
		['Next Client Secret', 'nextClientSecret'],
	],
} as const;

/** Nothing is asked of the operator: whether it sends the same key shows with the first lead. */
export async function checkPushCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const problem = problemOfFields(data);
	const message =
		problem ?? 'The fields are fine. The first lead shows whether the operator sends the same.';
	return await Promise.resolve({ status: problem === undefined ? 'OK' : 'Error', message });
}

function problemOfFields(data: ICredentialDataDecryptedObject): string | undefined {
	const isPair = data.authentication === 'clientCredentials';
	if (isPair && !data.clientId)
		return 'Client ID is empty. Make one up, such as the name of your agency.';
	const [first, next] = SECRETS[isPair ? 'clientCredentials' : 'apiKey'];
	return (
		problemOfSecret(first[0], data[first[1]]) ??
		(data[next[1]] ? problemOfSecret(next[0], data[next[1]]) : undefined)
	);
}

function problemOfSecret(field: string, secret: unknown): string | undefined {
	if (typeof secret !== 'string' || secret === '') return `${field} is empty.`;
	if (!FIT_FOR_HEADER.test(secret)) {
		return `${field} has a space at an end, or a character that a header cannot hold. Use letters, digits and hyphens.`;
	}
	if (secret.length >= SHORTEST_SECRET) return undefined;
	return `${field} is short enough to be guessed. Use ${SHORTEST_SECRET} characters or more.`;
}
