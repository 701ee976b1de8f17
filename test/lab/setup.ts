// n8n-core writes every node error to the console; the tests read the errors themselves.
process.env.N8N_LOG_LEVEL = 'silent';
// Every sandbox holds what it sees against the contract, and says what broke it when it stops.
process.env.SANDBOX_CONTRACT = 'checked';

export {};
