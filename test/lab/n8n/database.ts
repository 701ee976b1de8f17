// n8n's database, read from outside: n8n itself takes no time for it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { nodeForN8n } from './installation';
import type { StoredWorkflow } from './workflow';

/** How far the runs of a workflow came. */
export interface RunsStored {
	succeeded: number;
	/** Those that have not succeeded, or not yet. */
	others: number;
	/** Epoch milliseconds. */
	lastStoppedAt: number;
}

const SCRIPT = `
	const { DatabaseSync } = require('node:sqlite');
	const [path, sql, ...values] = process.argv.slice(1);
	const row = new DatabaseSync(path, { readOnly: true }).prepare(sql).get(...values);
	console.log(JSON.stringify(row ?? null));`;

/** What n8n has stored of the progress of a workflow's trigger: with durable cursors, in a row of its own. */
export async function stateOf(userFolder: string, { id }: StoredWorkflow): Promise<string> {
	const sql = `SELECT coalesce(cursor, staticData, '') AS state FROM workflow_entity
		LEFT JOIN poller_state ON workflowId = id WHERE id = ?`;
	const { state } = await firstRow<{ state: string }>(userFolder, sql, id);
	return state;
}

export async function runsOf(userFolder: string, { id }: StoredWorkflow): Promise<RunsStored> {
	const sql = `SELECT count(*) FILTER (WHERE status = 'success') AS succeeded,
		count(*) FILTER (WHERE status <> 'success') AS others,
		max(stoppedAt) AS lastStopped FROM execution_entity WHERE workflowId = ?`;
	const { succeeded, others, lastStopped } = await firstRow<
		Pick<RunsStored, 'succeeded' | 'others'> & { lastStopped: string | null }
	>(userFolder, sql, id);
	const lastStoppedAt = Date.parse(`${(lastStopped ?? '').replace(' ', 'T')}Z`);
	return { succeeded, others, lastStoppedAt };
}

/** In a process of its own: the Node of n8n can read SQLite, the one that runs this may not. */
async function firstRow<Row>(userFolder: string, sql: string, ...values: string[]): Promise<Row> {
	const database = join(userFolder, '.n8n', 'database.sqlite');
	const args = ['--no-warnings', '-e', SCRIPT, database, sql, ...values];
	const { stdout } = await promisify(execFile)(nodeForN8n(), args, { maxBuffer: 2 ** 24 });
	return JSON.parse(stdout) as Row;
}
