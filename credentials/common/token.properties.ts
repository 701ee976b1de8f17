import type { INodeProperties } from 'n8n-workflow';

/**
 * Where n8n keeps the token. `password` keeps n8n's REST API from handing them to whoever may read
 * the credential; `expirable` makes n8n call the credential's hook while the token is empty.
 */
export const tokenProperties: INodeProperties[] = [
	{
		displayName: 'Access Token',
		name: 'accessToken',
		type: 'hidden',
		typeOptions: { expirable: true, password: true },
		default: '',
	},
	{
		displayName: 'Token Fingerprint',
		name: 'tokenFingerprint',
		type: 'hidden',
		typeOptions: { password: true },
		default: '',
	},
	{
		displayName: 'Token Expires At',
		name: 'tokenExpiresAt',
		type: 'hidden',
		default: 0,
	},
	{
		displayName: 'Token Replaced a Forbidden One At',
		name: 'tokenForbiddenAt',
		type: 'hidden',
		default: 0,
	},
];
