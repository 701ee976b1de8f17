import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { LEADS_INTEGRATION } from '../service/leads/integration';
import { authenticationBy, renewalBy } from './common/hooks';
import { pairProperties } from './common/pair.properties';
import { authUrlProperty, textProperty } from './common/text.properties';
import { tokenProperties } from './common/token.properties';

export class AgentLeadsApi implements ICredentialType {
	name = 'agentLeadsApi';

	displayName = 'Agent Leads API';

	icon: Icon = { light: 'file:../icons/agentLeads.svg', dark: 'file:../icons/agentLeads.dark.svg' };

	documentationUrl =
		'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/agent-leads.md#credential';

	properties: INodeProperties[] = [
		...pairProperties,
		authUrlProperty,
		textProperty('leadsUrl', {
			placeholder: 'e.g. https://leads.example.com',
			description:
				'The address of the leads API as the operator sent it, without /applicant-leads at the end',
		}),
		textProperty('audience', {
			required: false,
			placeholder: 'e.g. https://leads.example.com',
			description:
				'Leave it empty unless you were given an audience. If it is empty, ‘Leads URL’ is used, exactly as you entered it.',
		}),
		...tokenProperties,
	];

	preAuthentication = renewalBy(LEADS_INTEGRATION);

	authenticate = authenticationBy(LEADS_INTEGRATION);
}
