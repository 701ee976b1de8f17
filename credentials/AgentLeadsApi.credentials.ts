import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IHttpRequestHelper,
	IHttpRequestOptions,
	Icon,
	INodeProperties,
} from 'n8n-workflow';

import { leadsGrant } from '../service/grant';
import { authenticate, renewToken } from '../service/token';
import { pairProperties } from './common/pair.properties';
import { tokenProperties } from './common/token.properties';

export class AgentLeadsApi implements ICredentialType {
	name = 'agentLeadsApi';

	displayName = 'Agent Leads API';

	icon: Icon = { light: 'file:../icons/agentLeads.svg', dark: 'file:../icons/agentLeads.dark.svg' };

	documentationUrl =
		'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/agent-leads.md';

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
			displayName: 'Leads URL',
			name: 'leadsUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'https://leads.example.com',
			description: 'The address of the leads API, without /applicant-leads at its end',
		},
		{
			displayName: 'Audience',
			name: 'audience',
			type: 'string',
			default: '',
			description:
				'What the token shall be valid for, where the operator gave you an audience. Leave it empty to use the Leads URL.',
		},
		...tokenProperties,
	];

	async preAuthentication(this: IHttpRequestHelper, credentials: ICredentialDataDecryptedObject) {
		return await renewToken(this.helpers.httpRequest, leadsGrant(credentials), credentials);
	}

	/** A property of its own: n8n's editor offers the HTTP Request node only credentials that have one. */
	authenticate = async (
		credentials: ICredentialDataDecryptedObject,
		requestOptions: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> =>
		await Promise.resolve(authenticate(leadsGrant(credentials), credentials, requestOptions));
}
