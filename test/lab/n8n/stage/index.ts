export { LeadRuns, WAIT_FOR_CALL } from './leadRuns';
export { DAY, HOUR, MINUTE, SECOND } from '../../times';
export type { SavedCredential } from '../n8n';
export { exampleFiles, readExample, type ExampleSetup } from './examples';
export {
	agentInventory,
	agentInventoryTrigger,
	agentLeads,
	agentLeadsTrigger,
	agentProducts,
	errorText,
	httpRequest,
	INVENTORY,
	INVENTORY_TRIGGER,
	lackingCredential,
	NO_OPERATION,
	NODE,
	postTo,
	PRODUCTS,
	TRIGGER,
} from './nodes';
export {
	AGENCY,
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	INVENTORY_PATH,
	INVENTORY_TOKEN_PATH,
	OTHER_AGENCY,
	PREMIUM_PATH,
	statuses,
	TOKEN_PATH,
	tokenIndexes,
	type Client,
	type ClientSettings,
	type Fault,
	type LoggedRequest,
} from './service';
export { Stage, START_DEADLINE_MS, STOP_DEADLINE_MS } from './stage';
