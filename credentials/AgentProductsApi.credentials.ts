import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { DEFAULT_SCOPE, PRODUCTS_INTEGRATION } from '../service/products/integration';
import { authenticationBy, renewalBy } from './common/hooks';
import { pairProperties } from './common/pair.properties';
import { authUrlProperty, textProperty } from './common/text.properties';
import { tokenProperties } from './common/token.properties';

export class AgentProductsApi implements ICredentialType {
	name = 'agentProductsApi';

	displayName = 'Agent Products API';

	icon: Icon = {
		light: 'file:../icons/agentProducts.svg',
		dark: 'file:../icons/agentProducts.dark.svg',
	};

	documentationUrl =
		'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/agent-products.md#credential';

	properties: INodeProperties[] = [
		...pairProperties,
		authUrlProperty,
		textProperty('productsUrl', {
			placeholder: 'e.g. https://products.example.com',
			description:
				'The address of the products API as the operator sent it, without /products at the end',
		}),
		textProperty('scope', {
			required: false,
			default: DEFAULT_SCOPE,
			placeholder: 'e.g. api/api_access',
			description:
				'What the token gives access to. Keep the default unless you were given another.',
		}),
		...tokenProperties,
	];

	preAuthentication = renewalBy(PRODUCTS_INTEGRATION);

	authenticate = authenticationBy(PRODUCTS_INTEGRATION);
}
