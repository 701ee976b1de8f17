import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { DEFAULT_SCOPE, productsGrant } from '../service/grant';
import { authenticate, renewToken } from '../service/token';
import { pairProperties } from './common/pair.properties';
import { tokenProperties } from './common/token.properties';

export class AgentProductsApi implements ICredentialType {
	name = 'agentProductsApi';

	displayName = 'Agent Products API';

	icon: Icon = {
		light: 'file:../icons/agentProducts.svg',
		dark: 'file:../icons/agentProducts.dark.svg',
	};

	documentationUrl =
		'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/agent-products.md';

	properties: INodeProperties[] = [
		...pairProperties,
		{
			displayName: 'Auth URL',
			name: 'authUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'https://auth.example.com',
			description: 'The address that hands out tokens, without /oauth2/token at its end',
		},
		{
			displayName: 'Products URL',
			name: 'productsUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'https://products.example.com',
			description: 'The address of the product activation API, without /products at its end',
		},
		{
			displayName: 'Scope',
			name: 'scope',
			type: 'string',
			default: DEFAULT_SCOPE,
			description:
				'What the token shall be good for. Change it only where the operator gave you another scope.',
		},
		...tokenProperties,
	];

	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		return await renewToken(this.helpers.httpRequest, productsGrant(credentials), credentials);
	}

	/** A property of its own: n8n's editor offers the HTTP Request node only credentials that have one. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> =>
		await Promise.resolve(authenticate(productsGrant(credentials), credentials, requestOptions));
}
