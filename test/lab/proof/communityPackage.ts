import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { nodeForN8n, packageFolder, PACKAGE_NAME, type N8n } from '../n8n';
import { namesOf, readManifest } from './manifest';

/**
 * Notes the installed package where Settings → Community nodes reads it: the same rows as n8n's installer writes, an
 * earlier version's replaced. What a node is called there is what n8n has loaded.
 */
export async function listPackage(n8n: N8n): Promise<void> {
	const { version, author, n8n: content } = readManifest(packageFolder(n8n.userFolder));
	// n8n makes further types of them by itself, for AI agents; it does not list those.
	const names = namesOf(content.nodes).map((name) => `${PACKAGE_NAME}.${name}`);
	const nodes = (await n8n.nodeTypes()).filter(({ name }) => names.includes(name));
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

/**
 * The step that docs/installation.md puts before n8n's command for an uninstall: n8n leaves the package in its ledger, and the
 * `npm prune` with which the command ends would fetch it again.
 */
export function forgetPackage(userFolder: string): void {
	const cwd = join(userFolder, '.n8n', 'nodes');
	execFileSync('npm', ['pkg', 'delete', `dependencies.${PACKAGE_NAME}`], { cwd, stdio: 'pipe' });
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
