import type { Locator, Page, Response } from '../n8n/browser';
import { cutOff, iconIn, testId, type Icon } from './screen';

const VIEW = testId('ndv');
const PARAMETERS = testId('node-parameters');

/** Of the whole label, the text before its buttons. */
const LABEL_TEXT = 'label .n8n-text';

/** A list that folds out below a field. */
export interface OptionList {
	/** What each option says: its name and, if it has one, its description. */
	options: string[][];
	cutOff: string[];
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

	/** What the output panel says before there is any output. */
	async hints(): Promise<string[]> {
		await this.output.getByTestId('run-data-hints').waitFor({ state: 'attached' });
		return await this.output.getByTestId('node-hint').allInnerTexts();
	}

	parameter(name: string): Locator {
		return this.parameters.getByTestId(name);
	}

	async icon(): Promise<Icon> {
		return await iconIn(this.page, `${VIEW} img`);
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

	/**
	 * Runs the node alone, by the button in its head.
	 *
	 * @param meanwhile makes happen what the node waits for, once n8n listens
	 */
	async executeStep(meanwhile?: () => void): Promise<void> {
		await this.pressExecute(meanwhile);
		await this.view.getByTestId('node-run-status-success').waitFor();
	}

	/** The same, of a node that fails. */
	async executeInVain(): Promise<void> {
		await this.pressExecute();
		await this.output.getByTestId('node-error-message').waitFor();
	}

	private async pressExecute(meanwhile?: () => void): Promise<void> {
		const button = this.view
			.getByTestId('trigger-execute-button')
			.or(this.view.getByTestId('node-execute-button'));
		const isRun = (answer: Response) => /\/workflows\/[^/]+\/run/.test(answer.url());
		await Promise.all([
			this.page.waitForResponse(isRun),
			button.filter({ visible: true }).first().click(),
		]);
		meanwhile?.();
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

function trimmed(texts: string[]): string[] {
	return texts.map((text) => text.trim());
}
