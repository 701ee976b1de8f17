import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { N8n } from '../n8n';
import type { Browser, Locator, Page } from '../n8n/browser';
import { root } from '../paths';

const SCREENSHOTS = join(root, '.tmp', 'screenshots');
const MEASURE = join(__dirname, 'page', 'measure.js');

const VIEW = testId('ndv');
const PARAMETERS = testId('node-parameters');
const PANEL = testId('node-creator');

export type Theme = 'light' | 'dark';

/** An icon as the browser shows it; one that did not load has no width. */
export interface Icon {
	src: string;
	width: number;
}

/** A list that folds out below a field. */
export interface OptionList {
	/** What each option says: its name and, if it has one, its description. */
	options: string[][];
	cutOff: string[];
}

/** Gives a page what `cutOff` needs. */
export async function prepare(page: Page): Promise<void> {
	await page.addScriptTag({ path: MEASURE });
}

/** The texts within an element that cannot be read to the end. */
export async function cutOff(page: Page, selector: string): Promise<string[]> {
	return await page.evaluate<string[]>(`cutOff(${JSON.stringify(selector)})`);
}

/** For a person to look at; no test reads it. */
export async function screenshot(page: Page, name: string): Promise<void> {
	mkdirSync(SCREENSHOTS, { recursive: true });
	await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}

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
		return await icon(this.page, `${onCanvas(node)} img`);
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
		for (const node of nodes)
			await page.locator(`${onCanvas(node)} ${testId('canvas-node-status-success')}`).waitFor();
	}
}

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
		await this.page.getByTestId('node-creator-search-bar').fill(words);
		for (const name of expected) await this.item(name).waitFor();
		return await this.page.locator(PANEL).getByTestId('node-creator-item-name').allInnerTexts();
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

/** What the editor shows of one node: its input, its parameters, its output. */
export class NodeView {
	private readonly view: Locator;
	private readonly parameters: Locator;
	private readonly output: Locator;

	private constructor(readonly page: Page) {
		this.view = page.locator(VIEW);
		this.parameters = page.locator(PARAMETERS);
		this.output = this.view.getByTestId('output-panel');
	}

	static async opened(page: Page): Promise<NodeView> {
		await page.locator(VIEW).locator(PARAMETERS).waitFor();
		return new NodeView(page);
	}

	async close(): Promise<void> {
		await this.view.getByTestId('ndv-close-button').click();
		await this.view.waitFor({ state: 'hidden' });
	}

	parameter(name: string): Locator {
		return this.parameters.getByTestId(name);
	}

	async icon(): Promise<Icon> {
		return await icon(this.page, `${VIEW} img`);
	}

	async chooseCredential(name: string): Promise<void> {
		const option = this.page.getByRole('option', { name });
		await this.view.getByTestId('node-credentials-select').locator('input').click();
		await option.click();
		await option.waitFor({ state: 'hidden' });
	}

	/** Drags a field of the input onto a parameter. */
	async drag(field: string, parameter: Locator): Promise<void> {
		const fields = this.view.getByTestId('ndv-input-panel').locator(`[data-name="${field}"]`);
		await fields.first().dragTo(parameter, { steps: 8 });
	}

	/** Waits until the input panel names a field that the node before will have, while that has not run. */
	async waitForPreviewedField(name: string): Promise<void> {
		const panel = this.view.getByTestId('ndv-input-panel');
		const fields = panel.getByTestId('run-data-schema-item');
		await fields.locator(`[data-name="${name}"]`).first().waitFor();
	}

	/** Adds what a parameter of several choices does not have yet. */
	async addChoice(parameter: string, option: string): Promise<void> {
		const choice = this.page.getByRole('option', { name: option });
		await this.parameter(`parameter-input-${parameter}`).locator('.el-select').click();
		await choice.click();
		await this.page.keyboard.press('Escape');
		await choice.waitFor({ state: 'hidden' });
	}

	/** Runs the node alone, by the button in its head. */
	async executeStep(): Promise<void> {
		const button = this.view
			.getByTestId('trigger-execute-button')
			.or(this.view.getByTestId('node-execute-button'));
		await button.first().click();
		await this.view.getByTestId('node-run-status-success').waitFor();
	}

	/** Waits until the output panel says this of the number of its items. */
	async waitForCount(text: string): Promise<void> {
		await this.output.getByText(text, { exact: true }).filter({ visible: true }).first().waitFor();
	}

	/** The table of the output panel, a row for each item. */
	async rows(): Promise<string[][]> {
		const rows = await this.output.locator('tbody tr').filter({ visible: true }).all();
		const cells = rows.map(async (row) => await row.locator('td').allInnerTexts());
		return (await Promise.all(cells)).map((row) => row.map((cell) => cell.trim()).filter(Boolean));
	}

	/** The labels of the parameters, from top to bottom. */
	async labels(): Promise<string[]> {
		return trimmed(await this.label().allInnerTexts());
	}

	/** The parameters that the editor marks because they are empty and must not be. */
	async marked(): Promise<string[]> {
		const issue = this.page.getByTestId('parameter-issues');
		const items = this.parameters.getByTestId('parameter-item').filter({ has: issue });
		return trimmed(await items.locator(LABEL_TEXT).filter({ visible: true }).allInnerTexts());
	}

	async cutOff(): Promise<string[]> {
		return await cutOff(this.page, PARAMETERS);
	}

	/**
	 * Unfolds each list of the parameters in turn, those of options to add included, and reads it.
	 * @param known the parameters whose lists need not be read; those that are read now are added
	 */
	async optionLists(known: Set<string>): Promise<OptionList[]> {
		const lists: OptionList[] = [];
		for (const select of await this.parameters
			.locator('.el-select')
			.filter({ visible: true })
			.all()) {
			const owner = select.locator('xpath=ancestor::*[@data-parameter-path][1]');
			const isOfParameter = (await owner.count()) > 0;
			const path = isOfParameter ? await owner.getAttribute('data-parameter-path') : null;
			if (path !== null && known.has(path)) continue;
			lists.push(await this.unfold(select));
			if (path !== null) known.add(path);
		}
		return lists;
	}

	private async unfold(select: Locator): Promise<OptionList> {
		await select.click();
		const id = await select.locator('[aria-controls]').first().getAttribute('aria-controls');
		const list = this.page.locator(`#${id}`);
		const options = list.getByRole('option');
		await options.first().waitFor();
		const texts = (await options.allInnerTexts()).map((text) => text.split('\n'));
		const cut = await cutOff(this.page, `#${id}`);
		await this.page.keyboard.press('Escape');
		await list.waitFor({ state: 'hidden' });
		return { options: texts, cutOff: cut };
	}

	/** The description of a parameter, as it appears over the question mark beside its label. */
	async description(label: string): Promise<{ text: string; cutOff: string[] }> {
		const shown = this.label()
			.filter({ hasText: new RegExp(`^\\s*${label}\\s*$`) })
			.first();
		const tooltip = this.page.getByTestId('tooltip-content');
		await shown.hover();
		await shown.locator('xpath=../..').locator('[class*="infoIcon"] [data-state]').hover();
		await tooltip.waitFor();
		const text = await tooltip.locator('div').first().innerText();
		const cut = await cutOff(this.page, testId('tooltip-content'));
		await this.page.mouse.move(0, 0);
		await tooltip.waitFor({ state: 'detached' });
		return { text, cutOff: cut };
	}

	private label(): Locator {
		return this.parameters.locator(LABEL_TEXT).filter({ visible: true });
	}
}

/** Of the whole label, the text before its buttons. */
const LABEL_TEXT = 'label .n8n-text';

async function icon(page: Page, selector: string): Promise<Icon> {
	return await page.evaluate<Icon>(`shownIcon(${JSON.stringify(selector)})`);
}

function onCanvas(node: string): string {
	return `${testId('canvas-node')}[data-node-name="${node}"]`;
}

function testId(id: string): string {
	return `[data-test-id="${id}"]`;
}

function trimmed(texts: string[]): string[] {
	return texts.map((text) => text.trim());
}
