import type { INodeProperties } from 'n8n-workflow';

/**
 * The hidden fields in which n8n keeps the token of a credential. Because of `password`, n8n's REST API does not send
 * the values to people who may read the credential. Because of `expirable`, n8n calls the credential's hook
 * `preAuthentication` while the token is empty. Times are epoch milliseconds.
 */
export const tokenProperties: INodeProperties[] = [
	{
		displayName: 'Access Token',
		name: 'accessToken',
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
		default: '',
	},
	// The fingerprint of the client ID, secret and addresses that the token was issued for.
	{
		displayName: 'Token Fingerprint',
		name: 'tokenFingerprint',
		type: 'hidden',
		typeOptions: { password: true },
		default: '',
	},
	// The time at which the token expires; 0 if the service's answer contained no usable lifetime. In that case, the
	// token is used until the service refuses it.
	{
		displayName: 'Token Expires At',
		name: 'tokenExpiresAt',
		type: 'hidden',
		default: 0,
	},
];
