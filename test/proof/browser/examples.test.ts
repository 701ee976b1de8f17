import { describe, expect, it, jest } from '@jest/globals';

import type { Page } from '../../lab/n8n/browser';
import { exampleFiles, readExample } from '../../lab/n8n/stage/examples';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';
import { Editor } from '../../lab/proof/editor';
import { screenshot, testId } from '../../lab/proof/screen';

jest.setTimeout(120_000);

/** In pixels: below that, the notes on a canvas are not read. */
const SMALLEST_TEXT = 10;

/** With several triggers the button names the one that it starts. */
const BUTTONS: Record<string, string> = {
	'instant-lead-response.json': 'Execute workflow from Agent Leads Trigger',
};

const browser = useBrowser();
const stage = useStage();

/** In pixels on the screen: how large the text of the notes is, and how far it goes beyond the bottom of each. */
interface Notes {
	textSizes: number[];
	beyond: number[];
}

async function notesOn(page: Page): Promise<Notes> {
	await page
		.locator(`${testId('sticky')} li`)
		.first()
		.waitFor();
	return await page.evaluate<Notes>(`(() => {
		const bottomOf = (element) => element.getBoundingClientRect().bottom;
		const notes = [...document.querySelectorAll('${testId('sticky')}')];
		const linesOf = (note) => [...note.querySelectorAll('li, p')];
		const sizeOf = (line) => {
			const zoom = line.getBoundingClientRect().height / line.offsetHeight;
			return parseFloat(getComputedStyle(line).fontSize) * zoom;
		};
		return {
			textSizes: notes.flatMap(linesOf).map(sizeOf),
			beyond: notes.map((note) => Math.max(...linesOf(note).map(bottomOf)) - bottomOf(note)),
		};
	})()`);
}

describe('as it is imported', () => {
	it.each(exampleFiles())('%s can be read, and its button does what it says', async (file) => {
		const { id } = await stage.n8n.createWorkflow(readExample(file));
		const editor = await Editor.open(browser, stage.n8n, id);

		const { textSizes, beyond } = await notesOn(editor.page);

		const button = editor.page.getByTestId('execute-workflow-button').first();
		const label = (await button.innerText()).replace(/\s+/g, ' ').trim();
		await screenshot(editor.page, `example ${file}`);
		await editor.close();

		expect(label).toBe(BUTTONS[file] ?? 'Execute workflow');
		expect(Math.min(...textSizes)).toBeGreaterThanOrEqual(SMALLEST_TEXT);
		expect(Math.max(...beyond)).toBeLessThan(0);
	});
});
