import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { authenticate, renewToken } from '../../service/auth/n8nHooks';
import type { Integration } from '../../service/integration';

type Prepare = (
	credentials: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
) => IHttpRequestOptions;

/** Makes the hook `preAuthentication` of a credential, which n8n calls to get a new token; see `renewToken`. */
export function renewalBy({ grant }: Integration) {
	return async function (
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		return await renewToken(this.helpers.httpRequest, grant(credentials), credentials);
	};
}

/**
 * Makes the hook `authenticate` of a credential, which n8n calls to put the token into a request; see `authenticate` in
 * service/auth/n8nHooks.ts. The hook has to be a property of the credential object itself, because n8n's editor offers
 * the HTTP Request node only credentials that have such a property.
 *
 * @param prepare adds other headers that the API expects in every request
 */
export function authenticationBy(
	{ grant }: Integration,
	prepare: Prepare = (_, options) => options,
) {
	return async (
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> =>
		await Promise.resolve(
			authenticate(grant(credentials), credentials, prepare(credentials, options)),
		);
}
