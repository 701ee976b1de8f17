// @ts-check
// n8n-core writes every node error to the console; the tests read the errors themselves.
process.env.N8N_LOG_LEVEL = 'silent';
// Whatever a sandbox sees is held against the contract; one that stops tells what broke it.
process.env.SANDBOX_CONTRACT = 'closed';
