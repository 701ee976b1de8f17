import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { nodeForN8n, packageFolder, PACKAGE_NAME, type N8n } from '../e2e/harness';

/**
 * Notes the installed package where Settings → Community nodes reads it: the same rows as n8n's installer writes, an
 * earlier version's replaced. The names and versions of the nodes are those that n8n has loaded.
 */
export async function listPackage(n8n: N8n): Promise<void> {
	const { version, author } = readManifest(packageFolder(n8n.userFolder));
	const nodes = (await n8n.nodeTypes()).filter(({ name }) => name.startsWith(`${PACKAGE_NAME}.`));
	const rows = nodes.map(({ displayName, name, version: nodeVersion }) => [
		displayName,
		name,
		Math.max(...[nodeVersion].flat()),
		PACKAGE_NAME,
	]);
	inDatabase(n8n, [
		['DELETE FROM installed_packages WHERE packageName = ?', [PACKAGE_NAME]],
		[
			'INSERT INTO installed_packages (packageName, installedVersion, authorName, authorEmail) VALUES (?, ?, ?, ?)',
			[PACKAGE_NAME, version, author.name, author.email],
		],
		...rows.map((row): Statement => [
			'INSERT INTO installed_nodes (name, type, latestVersion, package) VALUES (?, ?, ?, ?)',
			row,
		]),
	]);
}

type Statement = [sql: string, values: Array<string | number>];

/** All of them or none, beside n8n, which may be running. n8n's Node brings SQLite along. */
function inDatabase({ userFolder }: N8n, statements: Statement[]): void {
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const [file, statements] = JSON.parse(process.argv[1]);
		const database = new DatabaseSync(file, { timeout: 10000, enableForeignKeyConstraints: true });
		database.exec('BEGIN IMMEDIATE');
		for (const [sql, values] of statements) database.prepare(sql).run(...values);
		database.exec('COMMIT');
	`;
	const file = join(userFolder, '.n8n', 'database.sqlite');
	const args = ['-e', script, JSON.stringify([file, statements])];
	execFileSync(nodeForN8n(), args, { stdio: 'pipe' });
}

interface Manifest {
	version: string;
	author: { name: string; email: string };
}

function readManifest(dir: string): Manifest {
	return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest;
}
