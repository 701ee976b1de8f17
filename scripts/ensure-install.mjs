// @ts-check
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { ensureInstalled } from './lib/install.mjs';
import { ensureSqlite, nodeForN8n } from './lib/n8n-runtime.mjs';
import { e2e, root, scanner } from './lib/paths.mjs';
import { isEntryPoint, main } from './lib/run.mjs';
import { ensureTools } from './lib/system.mjs';

export const ensureRoot = () => ensureInstalled(root, "this package's development tools");

export const ensureScanner = () => ensureInstalled(scanner, "n8n's package scanner");

export async function ensureN8n() {
	await ensureInstalled(e2e, 'n8n');
	await ensureSqlite();
	// The test harness starts n8n with the Node that its sqlite3 was checked with.
	writeFileSync(join(e2e, 'node_modules', '.node-for-n8n'), nodeForN8n().binary);
}

/** What makes and encrypts in the tests of encrypted secrets: GnuPG, and a second opinion on OpenPGP. */
export const ensureOpenpgp = () =>
	ensureTools('GnuPG and RNP', [
		{ commands: ['gpg'], package: 'gnupg' },
		{ commands: ['rnp'], package: 'rnp' },
	]);

/** test/e2e/harness/browser.ts looks for the same commands. */
export const ensureBrowser = () =>
	ensureTools('Chromium', [
		{ commands: ['chromium', 'chromium-browser', 'google-chrome'], package: 'chromium' },
	]);

export async function ensureAll() {
	await ensureRoot();
	await ensureOpenpgp();
	await ensureBrowser();
	await ensureScanner();
	await ensureN8n();
}

if (isEntryPoint(import.meta.url)) await main(ensureAll);
