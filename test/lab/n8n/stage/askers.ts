import type { StoredWorkflow } from '../workflow';
import type { SavedCredential } from '../n8n';
import { agentLeads, httpRequest } from './nodes';
import type { Stage } from './stage';

/** Who asks for leads with the credential: what holds for our node holds for n8n's own, too. */
const ASKERS = {
	'Agent Leads': (credential: SavedCredential) => agentLeads(credential),
	'HTTP Request': (credential: SavedCredential, { sandbox }: Stage) =>
		httpRequest(credential, `${sandbox.leadsUrl}/applicant-leads`),
};

export type Asker = keyof typeof ASKERS;

export const EITHER_NODE: Asker[] = ['Agent Leads', 'HTTP Request'];

/** An active workflow in which one of them gets the leads. */
export async function workflowOf(
	stage: Stage,
	asker: Asker,
	credential: SavedCredential,
): Promise<StoredWorkflow> {
	return await stage.webhookWorkflow([ASKERS[asker](credential, stage)]);
}
