import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { checkCredential } from '../../service/credentialCheck';
import type { Integration } from '../../service/integration';

/** For a node that uses the integration's credential: n8n asks one of these nodes to test it. */
export function credentialCheckOf(integration: Integration) {
	return async function (
		this: ICredentialTestFunctions,
		credential: ICredentialsDecrypted,
	): Promise<INodeCredentialTestResult> {
		return await checkCredential(integration, this.helpers, credential.data ?? {});
	};
}
