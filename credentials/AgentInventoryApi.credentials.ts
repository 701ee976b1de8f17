import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { withAgency } from '../service/inventory/agencyRef';
import { INVENTORY_INTEGRATION } from '../service/inventory/integration';
import { authenticationBy, renewalBy } from './common/hooks';
import { pairProperties } from './common/pair.properties';
import { textProperty } from './common/text.properties';
import { tokenProperties } from './common/token.properties';

export class AgentInventoryApi implements ICredentialType {
	name = 'agentInventoryApi';

	displayName = 'Agent Inventory API';

	icon: Icon = {
		light: 'file:../icons/agentInventory.svg',
		dark: 'file:../icons/agentInventory.dark.svg',
	};

	documentationUrl =
		'https://github.com/agent-integration/n8n-nodes-agent-integration/blob/main/docs/agent-inventory.md#credential';

	properties: INodeProperties[] = [
		...pairProperties,
		textProperty('tokenUrl', {
			placeholder: 'e.g. https://auth.example.com/oauth2/token',
			description:
				'The full address that issues tokens, exactly as the operator of the service sent it, including a slash at the end if there is one',
		}),
		textProperty('inventoryUrl', {
			placeholder: 'e.g. https://inventory.example.com',
			description:
				'The address of the inventory API as the operator sent it, without /inventory at the end',
		}),
		textProperty('agencyRef', {
			placeholder: 'e.g. 6f1d2c3b-4a59-4e87-9c60-112233445566',
			description:
				'The reference of the agency whose properties you read, as the operator emailed it. Agent Inventory can use another one for each item.',
		}),
		...tokenProperties,
	];

	preAuthentication = renewalBy(INVENTORY_INTEGRATION);

	authenticate = authenticationBy(INVENTORY_INTEGRATION, withAgency);
}
