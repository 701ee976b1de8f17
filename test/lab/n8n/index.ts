export * from './execution';
export { N8n, type SavedCredential, type WebhookRun } from './n8n';
export { defaultTarball, nodeForN8n, PACKAGE_NAME } from './installation';
export * from './polling';
export { startProcess, type N8nOptions, type N8nProcess } from './process';
export { OWNER, send } from './rest';
export { until } from './waiting';
export { chain, manualTrigger, webhook } from './workflow';
export type { NodeInput, StoredWorkflow, WorkflowJson } from './workflow';
