// n8n's SQLite database from outside: n8n itself takes no time for it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { nodeForN8n } from './installation';
import type { StoredWorkflow } from './workflow';

const STATE = `SELECT coalesce(cursor, staticData, '') AS state FROM workflow_entity
	LEFT JOIN poller_state ON workflowId = id WHERE id = ?`;
const SUCCEEDED = `SELECT count(*) AS succeeded FROM execution_entity
	WHERE status = 'success' AND workflowId = ?`;
const PRINT_ROW = 'console.log(JSON.stringify(database.prepare(values[0]).get(values[1])))';
const LOCK = `database.exec('BEGIN EXCLUSIVE');
	setTimeout(() => database.exec('ROLLBACK'), Number(values[0]));`;

/** What n8n has stored of the progress of a workflow's trigger: with durable cursors, in a row of its own. */
export async function stateOf(userFolder: string, { id }: StoredWorkflow): Promise<string> {
	const row = await inDatabase(userFolder, PRINT_ROW, STATE, id);
	return (JSON.parse(row) as { state: string }).state;
}

/** How many runs of a workflow have succeeded. */
export async function succeededRuns(userFolder: string, { id }: StoredWorkflow): Promise<number> {
	const row = await inDatabase(userFolder, PRINT_ROW, SUCCEEDED, id);
	return (JSON.parse(row) as { succeeded: number }).succeeded;
}

/** Keeps n8n from writing to its database for a time, as a backup does. */
export async function lockDatabase(userFolder: string, ms: number): Promise<void> {
	await inDatabase(userFolder, LOCK, String(ms));
}

/**
 * In a process of its own: the Node of n8n can read SQLite, the one that runs this may not.
 *
 * @param script on the `database` and these `values`
 * @returns what it prints
 */
async function inDatabase(userFolder: string, script: string, ...values: string[]) {
	const opening = `const { DatabaseSync } = require('node:sqlite');
		const [path, ...values] = process.argv.slice(1);
		const database = new DatabaseSync(path, { timeout: 30_000 });`;
	const file = join(userFolder, '.n8n', 'database.sqlite');
	const args = ['--no-warnings', '-e', opening + script, file, ...values];
	return (await promisify(execFile)(nodeForN8n(), args, { maxBuffer: 2 ** 24 })).stdout;
}
