import type { Locator, Page } from '../n8n/browser';
import { NodeView } from './nodeView';
import { cutOff, pageScript, testId } from './screen';

const PANEL = testId('node-creator');
const SEARCH = pageScript('panelSearch');
const NOTHING_OF_THAT_NAME = 'qqqqqqqq';

/** The panel in which nodes are searched. */
export class NodePanel {
	private constructor(private readonly page: Page) {}

	static async opened(page: Page): Promise<NodePanel> {
		await page.getByTestId('node-creator-search-bar').waitFor();
		return new NodePanel(page);
	}

	/**
	 * Types words and waits until the panel offers these nodes.
	 * @returns all that it offers, best first
	 */
	async search(words: string, expected: string[]): Promise<string[]> {
		const bar = this.page.getByTestId('node-creator-search-bar');
		const names = this.page.locator(PANEL).getByTestId('node-creator-item-name');
		// The list of the words before may hold them as well.
		await bar.fill(NOTHING_OF_THAT_NAME);
		await names.first().waitFor({ state: 'hidden' });
		await bar.fill(words);
		for (const name of expected) await this.item(name).waitFor();
		return await names.allInnerTexts();
	}

	/**
	 * Searches for one after another, without waiting until anything is drawn.
	 * @returns for each: the types of all nodes found, best first
	 */
	async find(queries: readonly string[]): Promise<string[][]> {
		await this.page.addScriptTag({ path: SEARCH });
		return await this.page.evaluate<string[][]>(
			`${JSON.stringify(queries)}.map((words) => foundInPanel(words))`,
		);
	}

	async cutOff(): Promise<string[]> {
		return await cutOff(this.page, PANEL);
	}

	/**
	 * Opens what a node offers.
	 * @returns its events, or else its actions
	 */
	async open(name: string): Promise<string[]> {
		await this.item(name).click();
		const offers = this.page.locator(`${PANEL} [data-keyboard-nav-type="action"]`);
		await offers.first().waitFor();
		return await offers.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Goes back from what a node offers to what was searched for. */
	async back(): Promise<void> {
		await this.page.getByTestId('nodes-list-header').locator('button').first().click();
		await this.page
			.locator(`${PANEL} [data-keyboard-nav-type="action"]`)
			.first()
			.waitFor({ state: 'hidden' });
	}

	/** Chooses a node, or an event or an action of one, which puts it on the canvas and opens it. */
	async choose(name: string): Promise<NodeView> {
		await this.item(name).click();
		return await NodeView.opened(this.page);
	}

	private item(name: string): Locator {
		const names = this.page.locator(PANEL).getByTestId('node-creator-item-name');
		return names.getByText(name, { exact: true });
	}
}
