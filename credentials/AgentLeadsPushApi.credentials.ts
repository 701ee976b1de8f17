import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { textProperty } from './common/text.properties';

/**
 * The API key, or the client ID and secret, by which the operator of the service proves that it sent a pushed lead. The
 * user of n8n makes them up and sends them to the operator.
 */
export class AgentLeadsPushApi implements ICredentialType {
	name = 'agentLeadsPushApi';

	displayName = 'Agent Leads Push API';

	icon: Icon = {
		light: 'file:../icons/agentLeadsPush.svg',
		dark: 'file:../icons/agentLeadsPush.dark.svg',
	};

	documentationUrl =
		'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/agent-leads-push-trigger.md#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'Authentication',
			name: 'authentication',
			type: 'options',
			default: 'apiKey',
			description: 'How the operator of the service proves that it sent a lead',
			options: [
				{ name: 'API Key', value: 'apiKey' },
				{ name: 'OAuth2 Client Credentials', value: 'clientCredentials' },
			],
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			placeholder: 'e.g. 40 random letters and digits',
			description:
				'A long random text that you make up. The operator sends it unchanged in the Authorization header.',
			displayOptions: { show: { authentication: ['apiKey'] } },
		},
		{
			displayName: 'Next API Key',
			name: 'nextApiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'A second key that is accepted too, while you replace the old one. Otherwise leave it empty.',
			displayOptions: { show: { authentication: ['apiKey'] } },
		},
		textProperty('clientId', {
			placeholder: 'e.g. operator',
			description: 'A name that you make up. The operator sends it to get a token.',
			displayOptions: { show: { authentication: ['clientCredentials'] } },
		}),
		textProperty('clientSecret', {
			typeOptions: { password: true },
			placeholder: 'e.g. 40 random letters and digits',
			description: 'A long random text that you make up. The operator sends it with the client ID.',
			displayOptions: { show: { authentication: ['clientCredentials'] } },
		}),
		{
			displayName: 'Next Client Secret',
			name: 'nextClientSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'A second secret that is accepted too, while you replace the old one. Otherwise leave it empty.',
			displayOptions: { show: { authentication: ['clientCredentials'] } },
		},
		textProperty('audience', {
			required: false,
			placeholder: 'e.g. leads',
			description: 'If set, the operator must send this audience when it asks for a token',
			displayOptions: { show: { authentication: ['clientCredentials'] } },
		}),
	];
}
