import type { N8n } from '../n8n';
import type { Browser, Page } from '../n8n/browser';
import { NodePanel } from './nodePanel';
import { NodeView } from './nodeView';
import { cutOff, iconIn, prepare, testId, type Icon } from './screen';

export type Theme = 'light' | 'dark';

/** n8n's editor on one workflow, driven as a person does it. */
export class Editor {
	private constructor(readonly page: Page) {}

	/** @param id of a stored workflow; a new one when not given */
	static async open(browser: Browser, n8n: N8n, id = 'new'): Promise<Editor> {
		const page = await browser.open(n8n, `/workflow/${id}`);
		await prepare(page);
		const content = page.getByTestId('canvas-node').or(page.getByTestId('canvas-add-button'));
		await content.first().waitFor();
		return new Editor(page);
	}

	async close(): Promise<void> {
		await this.page.close();
	}

	/** The colours that the computer prefers; the editor follows them. */
	async prefer(theme: Theme): Promise<void> {
		await this.page.emulateMedia({ colorScheme: theme });
	}

	/** Opens the panel in which nodes are searched, from the empty canvas. */
	async addFirstStep(): Promise<NodePanel> {
		await this.page.getByTestId('canvas-add-button').click();
		return await NodePanel.opened(this.page);
	}

	/** Opens the same panel from the plus behind the last node. */
	async addNextStep(): Promise<NodePanel> {
		await this.page.getByTestId('canvas-handle-plus').last().click();
		return await NodePanel.opened(this.page);
	}

	async icon(node: string): Promise<Icon> {
		await this.page.locator(`${onCanvas(node)} img`).waitFor();
		return await iconIn(this.page, `${onCanvas(node)} img`);
	}

	/** The names and subtitles on the canvas that cannot be read to the end. */
	async cutOff(): Promise<string[]> {
		return await cutOff(this.page, testId('canvas'));
	}

	async openNode(name: string): Promise<NodeView> {
		await this.page.locator(onCanvas(name)).dblclick();
		return await NodeView.opened(this.page);
	}

	/** Waits until the editor has saved the workflow with this text in it; it does so by itself after a change. */
	async saved(text: string): Promise<void> {
		await this.page.waitForResponse(
			(answer) =>
				/\/rest\/workflows\b/.test(answer.url()) &&
				(answer.request().postData() ?? '').includes(text),
		);
	}

	/** Presses “Execute workflow” and waits until each of these nodes has its green tick. */
	async execute(nodes: string[]): Promise<void> {
		const { page } = this;
		const ran = page.waitForResponse((answer) => /\/workflows\/[^/]+\/run/.test(answer.url()));
		await page.getByTestId('execute-workflow-button').click();
		await ran;
		await page.getByText('Workflow executed successfully').waitFor();
		for (const node of nodes) await this.succeeded(node);
	}

	/** Waits until a node has its green tick. */
	async succeeded(node: string): Promise<void> {
		const tick = testId('canvas-node-status-success');
		await this.page.locator(`${onCanvas(node)} ${tick}`).waitFor();
	}
}

function onCanvas(node: string): string {
	return `${testId('canvas-node')}[data-node-name="${node}"]`;
}
