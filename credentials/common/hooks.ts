import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { Grant } from '../../service/auth/grant';
import { authenticate, renewToken } from '../../service/auth/tokenHooks';

type GrantOf = (credentials: ICredentialDataDecryptedObject) => Grant;

type Prepare = (
	credentials: ICredentialDataDecryptedObject,
	options: IHttpRequestOptions,
) => IHttpRequestOptions;

/** n8n's hook that gets a token, for one form of the grant; see `renewToken`. */
export function renewalBy(grantOf: GrantOf) {
	return async function (
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		return await renewToken(this.helpers.httpRequest, grantOf(credentials), credentials);
	};
}

/**
 * n8n's hook that puts the token into a request; see `authenticate`. It has to be a property of the
 * credential's own: n8n's editor offers the HTTP Request node only credentials that have one.
 *
 * @param prepare what else the API wants in every request
 */
export function authenticationBy(grantOf: GrantOf, prepare: Prepare = (_, options) => options) {
	return async (
		credentials: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> =>
		await Promise.resolve(
			authenticate(grantOf(credentials), credentials, prepare(credentials, options)),
		);
}
