import type { INodeProperties } from 'n8n-workflow';

/**
 * Where n8n keeps the token. `password` keeps n8n's REST API from handing them to whoever may read
 * the credential; `expirable` makes n8n call the credential's hook while the token is empty. Times are epoch milliseconds.
 */
export const tokenProperties: INodeProperties[] = [
	{
		displayName: 'Access Token',
		name: 'accessToken',
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
		default: '',
	},
	// The client, its secret and the addresses that the token was issued for.
	{
		displayName: 'Token Fingerprint',
		name: 'tokenFingerprint',
		type: 'hidden',
		typeOptions: { password: true },
		default: '',
	},
	// 0 if the service named no usable lifetime: the token is used until it is refused.
	{
		displayName: 'Token Expires At',
		name: 'tokenExpiresAt',
		type: 'hidden',
		default: 0,
	},
];
