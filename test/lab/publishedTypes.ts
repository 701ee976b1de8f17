import type { ICredentialType, INodeType } from 'n8n-workflow';

import { AgentInventoryApi } from '../../credentials/AgentInventoryApi.credentials';
import { AgentLeadsApi } from '../../credentials/AgentLeadsApi.credentials';
import { AgentLeadsPushApi } from '../../credentials/AgentLeadsPushApi.credentials';
import { AgentProductsApi } from '../../credentials/AgentProductsApi.credentials';
import { AgentInventory } from '../../nodes/AgentInventory/AgentInventory.node';
import { AgentInventoryTrigger } from '../../nodes/AgentInventoryTrigger/AgentInventoryTrigger.node';
import { AgentLeads } from '../../nodes/AgentLeads/AgentLeads.node';
import { AgentLeadsPushTrigger } from '../../nodes/AgentLeadsPushTrigger/AgentLeadsPushTrigger.node';
import { AgentLeadsTrigger } from '../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node';
import { AgentProducts } from '../../nodes/AgentProducts/AgentProducts.node';

/** Every node and every credential that n8n gets of this package; test/unit/package/publishedTypes.test.ts sees that none is left out. */
export const NODES: INodeType[] = [
	new AgentInventory(),
	new AgentInventoryTrigger(),
	new AgentLeads(),
	new AgentLeadsPushTrigger(),
	new AgentLeadsTrigger(),
	new AgentProducts(),
];

export const CREDENTIALS: ICredentialType[] = [
	new AgentInventoryApi(),
	new AgentLeadsApi(),
	new AgentLeadsPushApi(),
	new AgentProductsApi(),
];
