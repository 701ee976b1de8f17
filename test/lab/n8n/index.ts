export { freePort } from './freePort';
export { send } from './http';
export { Execution, isFinished, type ExecutionStatus, type ExecutionSummary } from './execution';
export {
	N8n,
	OWNER,
	type CommunityPackage,
	type Credential,
	type CredentialTest,
	type SavedCredential,
	type WebhookRun,
} from './n8n';
export {
	defaultTarball,
	installPackage,
	nodeForN8n,
	PACKAGE_NAME,
	packageFolder,
} from './installation';
export { EVERY_FIVE_SECONDS, everySeconds, HOSTS, type Host } from './polling';
export type { N8nOptions } from './processFor';
export { refusedRunsIn } from './refusedRuns';
export { until } from './waiting';
export { WebhookProcess } from './webhookProcess';
export { Worker } from './worker';
export {
	chain,
	manualTrigger,
	webhook,
	type NodeInput,
	type StoredWorkflow,
	type WorkflowJson,
} from './workflow';
