// @ts-check
// n8n-core writes every node error to the console; the tests read the errors themselves.
process.env.N8N_LOG_LEVEL = 'silent';
