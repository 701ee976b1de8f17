// @ts-check
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { ensureProgram, postgresFolders } from './lib/debian.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { ensureSqlite, nodeForN8n } from './lib/n8n-runtime.mjs';
import { e2e, otherN8ns, queuePrograms, root, scanner } from './lib/paths.mjs';
import { isEntryPoint, main } from './lib/run.mjs';

export const ensureRoot = () => ensureInstalled(root, "this package's development tools");

export const ensureScanner = () => ensureInstalled(scanner, "n8n's package scanner");

export async function ensureN8n() {
	await ensureInstalled(e2e, 'n8n');
	await ensureSqlite(e2e);
	// The test harness starts n8n with the Node that its sqlite3 was checked with.
	writeFileSync(join(e2e, 'node_modules', '.node-for-n8n'), nodeForN8n().binary);
}

/** What makes keys and encrypts in the tests of encrypted secrets. */
export async function ensureOpenpgp() {
	await ensureProgram(['gpg'], 'gnupg');
}

/** test/lab/n8n/browser.ts looks for the same commands. */
export async function ensureBrowser() {
	await ensureProgram(['chromium', 'chromium-browser', 'google-chrome'], 'chromium');
}

/** The other versions of n8n that the package is tried in. They run on the same Node. */
export async function ensureOtherN8ns() {
	await ensureN8n();
	for (const dir of otherN8ns) {
		await ensureInstalled(dir, `n8n, ${basename(dir)}`);
		await ensureSqlite(dir);
	}
}

/** What n8n's queue mode needs beside n8n; the tests read from the file where it is. */
export async function ensureQueueServices() {
	const redis = await ensureProgram(['redis-server'], 'redis-server');
	const postgres = await ensureProgram(['postgres'], 'postgresql', postgresFolders);
	mkdirSync(dirname(queuePrograms), { recursive: true });
	writeFileSync(queuePrograms, JSON.stringify({ redis, postgres }));
}

export async function ensureAll() {
	await ensureRoot();
	await ensureOpenpgp();
	await ensureBrowser();
	await ensureScanner();
	await ensureN8n();
}

if (isEntryPoint(import.meta.url)) await main(ensureAll);
