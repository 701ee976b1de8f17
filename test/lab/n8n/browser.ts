import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { chromium, selectors, type BrowserContext, type Page } from 'playwright-core';

import type { N8n } from './n8n';
import { OWNER } from './rest';

/** For whoever drives a page: other folders may have another playwright-core. */
export type { Locator, Page } from 'playwright-core';

/** scripts/ensure-install.mjs sees to one of them. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome'];

/** No sandbox, since tests run as root too, and no contact with the outside. */
const ARGUMENTS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** n8n's editor is megabytes of script, which a busy machine takes long to read. */
const NAVIGATION_DEADLINE_MS = 120_000;

/** n8n's editor spells it in its own way; for `getByTestId`. */
selectors.setTestIdAttribute('data-test-id');

/** A real Chromium without a window, with a profile of its own. */
export class Browser {
	private readonly loggedIn = new Set<string>();

	private constructor(
		private readonly context: BrowserContext,
		private readonly profile: string,
	) {}

	static async start(): Promise<Browser> {
		const profile = mkdtempSync(join(tmpdir(), 'browser-e2e-'));
		const context = await chromium.launchPersistentContext(profile, {
			executablePath: executable(),
			headless: true,
			args: ARGUMENTS,
			viewport: { width: 1440, height: 1000 },
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		context.setDefaultNavigationTimeout(NAVIGATION_DEADLINE_MS);
		return new Browser(context, profile);
	}

	/** Ends the browser and removes its profile. */
	async stop(): Promise<void> {
		await this.context.close();
		rmSync(this.profile, { recursive: true, force: true });
	}

	/** A new tab on a page of n8n's editor, logged in as the owner. */
	async open(n8n: N8n, path: string): Promise<Page> {
		const page = await this.context.newPage();
		if (!this.loggedIn.has(n8n.url)) {
			await page.goto(`${n8n.url}/signin`);
			await page.locator('input[name="emailOrLdapLoginId"]').fill(OWNER.email);
			await page.locator('input[name="password"]').fill(OWNER.password);
			await page.getByTestId('form-submit-button').click();
			await page.waitForURL((url) => url.pathname !== '/signin');
			this.loggedIn.add(n8n.url);
		}
		await page.goto(`${n8n.url}${path}`);
		return page;
	}
}

function executable(): string {
	const folders = (process.env.PATH ?? '').split(delimiter);
	const files = COMMANDS.flatMap((command) => folders.map((folder) => join(folder, command)));
	const found = files.find((file) => existsSync(file));
	if (found === undefined)
		throw new Error('There is no Chromium. Run: node scripts/ensure-install.mjs');
	return found;
}
