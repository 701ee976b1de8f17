import type { INodeProperties } from 'n8n-workflow';

/** The pair that the operator sends for an integration. */
export const pairProperties: INodeProperties[] = [
	{
		displayName: 'Client ID',
		name: 'clientId',
		type: 'string',
		required: true,
		default: '',
		description: 'The client ID of this integration, as the operator sent it',
	},
	{
		displayName: 'Client Secret',
		name: 'clientSecret',
		type: 'string',
		typeOptions: { password: true },
		required: true,
		default: '',
		description: 'The client secret that belongs to the client ID',
	},
];
