import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { nodeForN8n } from './installation';

/** Run by n8n's own Node, which has an SQLite of its own. */
const SCRIPT = `
	const { DatabaseSync } = require('node:sqlite');
	const [path, ms] = process.argv.slice(1);
	const database = new DatabaseSync(path, { timeout: 30_000 });
	database.exec('BEGIN EXCLUSIVE');
	setTimeout(() => database.exec('ROLLBACK'), Number(ms));`;

/**
 * Keeps n8n from writing to its SQLite database for a time, as a backup does.
 *
 * @param userFolder of n8n
 */
export async function lockDatabase(userFolder: string, ms: number): Promise<void> {
	const database = join(userFolder, '.n8n', 'database.sqlite');
	const args = ['--no-warnings', '-e', SCRIPT, database, String(ms)];
	const child = spawn(nodeForN8n(), args, { stdio: ['ignore', 'ignore', 'pipe'] });
	let complaint = '';
	child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString('utf8')));
	const [code] = (await once(child, 'close')) as [number | null];
	if (code !== 0) throw new Error(`The database could not be locked: ${complaint}`);
}
