import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import {
	testInventoryCredential,
	testLeadsCredential,
	testProductsCredential,
} from '../../service/credentialCheck';

/** For the nodes that use the leads credential: n8n asks one of them to test it. */
export async function agentLeadsApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testLeadsCredential(this.helpers, credential.data ?? {});
}

/** The same for the inventory credential. */
export async function agentInventoryApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testInventoryCredential(this.helpers, credential.data ?? {});
}

/** The same for the products credential. */
export async function agentProductsApiTest(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testProductsCredential(this.helpers, credential.data ?? {});
}
