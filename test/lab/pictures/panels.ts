import { INVENTORY, INVENTORY_TRIGGER, NODE, PRODUCTS, TRIGGER } from '../n8n/stage';
import type { NodeInput } from '../n8n';
import type { Page } from '../n8n/browser';
import { Editor } from '../proof/editor';
import type { NodeView } from '../proof/nodeView';
import { testId } from '../proof/screen';
import { atRest, shootAround } from './camera';
import { LEADS, LISTING_ID } from './data';
import type { Studio } from './studio';

const PUSH_TRIGGER = 'Agent Leads Push Trigger';

/** How n8n shows the items of the output. */
type Display = 'Schema' | 'Table' | 'JSON';

export async function agentLeads(studio: Studio): Promise<Buffer> {
	const { agentLeadsApi } = studio.credentials;
	return await shootPanel(studio, {
		name: NODE,
		type: 'n8n-nodes-agent-integration.agentLeads',
		parameters: { resource: 'applicantLead', operation: 'getAll' },
		credentials: { agentLeadsApi },
	});
}
