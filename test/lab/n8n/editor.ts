import type { N8n } from '.';
import type { Browser, Locator, Page } from './browser';

/** n8n's editor on one workflow, driven as a person does it. */
export class Editor {
	private constructor(readonly page: Page) {}

	/** @param id of a stored workflow; a new one when not given */
	static async open(browser: Browser, n8n: N8n, id = 'new'): Promise<Editor> {
		const page = await browser.open(n8n, `/workflow/${id}`);
		const content = page.getByTestId('canvas-node').or(page.getByTestId('canvas-add-button'));
		await content.first().waitFor();
		return new Editor(page);
	}

	/** Opens the panel in which nodes are searched, types words, and waits until the panel offers these nodes. */
	async search(words: string, expected: string[]): Promise<void> {
		await this.page.getByTestId('canvas-add-button').click();
		await this.page.getByTestId('node-creator-search-bar').fill(words);
		for (const name of expected) await this.offer(name).waitFor();
	}

	/** What a node of the panel offers: its events, or else its actions. */
	async offersOf(name: string): Promise<string[]> {
		await this.offer(name).click();
		const offers = this.page.locator('[data-keyboard-nav-type="action"]');
		await offers.first().waitFor();
		return await offers.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Chooses an event or an action of a node, which puts it on the canvas and opens it. */
	async choose(name: string): Promise<NodeView> {
		await this.offer(name).click();
		return await NodeView.opened(this.page);
	}

	async openNode(name: string): Promise<NodeView> {
		await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
		return await NodeView.opened(this.page);
	}

	private offer(name: string): Locator {
		const names = this.page.getByTestId('node-creator').getByTestId('node-creator-item-name');
		return names.getByText(name, { exact: true });
	}
}

/** What the editor shows of one node: its input, its parameters, its output. */
export class NodeView {
	private constructor(private readonly page: Page) {}

	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	static async opened(page: Page): Promise<NodeView> {
		await page.getByTestId('node-parameters').waitFor();
		return new NodeView(page);
	}

	async chooseCredential(name: string): Promise<void> {
		const option = this.page.getByRole('option', { name });
		await this.page.getByTestId('node-credentials-select').locator('input').click();
		await option.click();
		await option.waitFor({ state: 'hidden' });
	}

	/**
	 * Runs the node alone, by the button in its head.
	 *
	 * @param outcome of the two: what the output shows then
	 */
	async execute(outcome: 'success' | 'error'): Promise<void> {
		const button = this.page
			.getByTestId('trigger-execute-button')
			.or(this.page.getByTestId('node-execute-button'));
		await button.filter({ visible: true }).first().click();
		const shown = { success: 'node-run-status-success', error: 'node-error-message' }[outcome];
		await this.page.getByTestId(shown).waitFor();
	}
}
