export { send } from './http';
export { Execution, type ExecutionStatus, type ExecutionSummary } from './execution';
export {
	N8n,
	OWNER,
	type Credential,
	type CredentialTest,
	type N8nOptions,
	type WebhookRun,
} from './n8n';
export { EVERY_FIVE_SECONDS, HOSTS, type Host } from './polling';
export { freePort } from './process';
export { until } from './waiting';
export {
	chain,
	manualTrigger,
	webhook,
	type NodeInput,
	type StoredWorkflow,
	type WorkflowJson,
} from './workflow';
