import { execFileSync } from 'node:child_process';

import { chromium, selectors, type BrowserContext, type Page } from 'playwright-core';

import type { N8n } from './n8n';
import { OWNER } from './rest';

/** For whoever drives a page: other folders may have another playwright-core. */
export type { Locator, Page } from 'playwright-core';

/** n8n's editor is megabytes of script, which a busy machine takes long to read. */
const NAVIGATION_DEADLINE_MS = 120_000;

/** n8n's editor spells it in its own way; for `getByTestId`. */
selectors.setTestIdAttribute('data-test-id');

/** A real Chromium without a window, with a profile of its own. */
export class Browser {
	private readonly loggedIn = new Set<string>();

	private constructor(private readonly context: BrowserContext) {}

	static async start(): Promise<Browser> {
		// Without a folder for the profile, Playwright makes one and removes it.
		const context = await chromium.launchPersistentContext('', {
			executablePath: executable(),
			headless: true,
			// Playwright itself keeps Chromium from asking the outside.
			args: ['--disable-gpu', '--disable-quic'],
			viewport: { width: 1440, height: 1000 },
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		context.setDefaultNavigationTimeout(NAVIGATION_DEADLINE_MS);
		return new Browser(context);
	}

	async stop(): Promise<void> {
		await this.context.close();
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

/** scripts/ensure-install.mjs sees to one of them. */
function executable(): string {
	const which = 'which chromium chromium-browser google-chrome || true';
	const [found] = execFileSync('sh', ['-c', which], { encoding: 'utf8' }).split('\n');
	if (!found) throw new Error('There is no Chromium. Run: node scripts/ensure-install.mjs');
	return found;
}
