import type { Locator, Page } from 'playwright-core';

import type { Browser } from './browser';
import type { N8n } from './n8n';

/** n8n's form for a new credential, driven as a person does it. */
export class CredentialForm {
	private constructor(readonly page: Page) {}

	/** @param displayName of the credential type */
	static async open(browser: Browser, n8n: N8n, displayName: string): Promise<CredentialForm> {
		const page = await browser.open(n8n, '/home/credentials/create');
		await page.getByTestId('new-credential-type-select').locator('input').fill(displayName);
		await page
			.getByTestId('new-credential-type-select-option')
			.filter({ hasText: displayName })
			.first()
			.click();
		await page.getByTestId('new-credential-type-button').click();
		await page.getByTestId('credential-save-button').waitFor();
		return new CredentialForm(page);
	}

	/** What a field holds on the screen: one line or several. */
	field(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`).locator('input, textarea');
	}

	async type(name: string, text: string): Promise<void> {
		await this.field(name).fill(text);
	}

	/** Through the clipboard, with what the browser and the form make of the text. */
	async paste(name: string, text: string): Promise<void> {
		await this.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
		await this.field(name).click();
		await this.page.keyboard.press('ControlOrMeta+A');
		await this.page.keyboard.press('ControlOrMeta+V');
	}

	async choose(name: string, option: string): Promise<void> {
		await this.field(name).click();
		await this.page.getByRole('option', { name: option }).click();
	}

	/** Saves, which makes n8n test the credential, and reads what the form says about it. */
	async save(): Promise<string> {
		const { page } = this;
		const tested = page.waitForResponse((answer) => answer.url().endsWith('/credentials/test'));
		await page.getByTestId('credential-save-button').click();
		await tested;
		const form = page.getByTestId('node-credentials-config-container');
		const verdict = form.getByText(/Connection tested successfully|Couldn.t connect with/);
		await verdict.filter({ visible: true }).waitFor();
		const details = form.getByText('More details').filter({ visible: true });
		if (await details.isVisible()) await details.click();
		return await form.innerText();
	}
}
