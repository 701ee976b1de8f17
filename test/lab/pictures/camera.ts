import type { BrowserContext, Locator, Page } from '../n8n/browser';
import { Aliases } from './aliases';

/** In pixels of the page. */
export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** Room around what is shown. */
interface Margins {
	top?: number;
	right?: number;
	bottom?: number;
	left?: number;
}

/** For whatever a picture waits for, on a busy machine. */
const DEADLINE_MS = 120_000;

/**
 * Hides what n8n shows for the moment, what belongs to editing, and the input beside a node's parameters. Nothing is cut off
 * in a dialog, and nothing dark is around it.
 */
const STYLE = `
	[data-test-id="tooltip-content"],
	[data-test-id="ndv"] main > div:first-child,
	[data-test-id="ndv"] aside,
	[data-test-id="panel-drag-button"],
	[data-test-id="canvas-node-toolbar"],
	[data-test-id="canvas-handle-plus-wrapper"],
	[data-test-id="canvas-handle-plus"],
	.vue-flow__background,
	[data-test-id^="execute-workflow-button-"] { display: none !important; }
	[data-test-id="ndv"] main > div:nth-child(2) { width: 46% !important; }
	[data-test-id="ndv"] main > div:nth-child(3) { width: 54% !important; }
	/* Not seen, and still there for whoever waits for it or presses it. */
	.el-notification, [data-test-id="canvas-controls"] { opacity: 0 !important; }
	.el-dialog, .el-dialog * { --dialog--max-height: none !important; max-height: none !important; }
	.el-overlay, [data-test-id="ndv"], [data-test-id="ndv"]::backdrop { background-color: #fff !important; }
	* { scrollbar-width: none !important; }
`;

/**
 * Has all pages show addresses of a real service, and nothing that a picture has no use for.
 *
 * @param n8nUrl where this n8n is: its editor alone is told otherwise, since its forms rely on it
 */
export async function stageScenery(
	context: BrowserContext,
	aliases: Aliases,
	n8nUrl: string,
): Promise<void> {
	const settings = new Aliases([['https://n8n.example.com', n8nUrl]]);
	context.setDefaultTimeout(DEADLINE_MS);
	await context.addInitScript(
		`addEventListener('DOMContentLoaded', () => {
			document.head.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(STYLE)} }));
		});`,
	);
	await context.route('**/rest/**', async (route) => {
		const sent = route.request().postData();
		const postData = sent === null ? undefined : aliases.toLocal(sent);
		const answer = await route.fetch({ postData });
		const text = aliases.toShown(await answer.text());
		const isSettings = route.request().url().endsWith('/rest/settings');
		await route.fulfill({ response: answer, body: isSettings ? settings.toShown(text) : text });
	});
}

/** A picture of the part of the page that holds all these, and of nothing beside them. */
export async function shootAround(
	page: Page,
	shown: Locator[],
	margins: Margins = {},
): Promise<Buffer> {
	return await shoot(page, await boxAround(shown, margins));
}

export async function shoot(page: Page, clip: Box): Promise<Buffer> {
	return await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
}

export async function boxAround(shown: Locator[], margins: Margins = {}): Promise<Box> {
	const { top = 0, right = 0, bottom = 0, left = 0 } = margins;
	const boxes = await boxesOf(shown);
	const x = Math.floor(Math.min(...boxes.map((box) => box.x)) - left);
	const y = Math.floor(Math.min(...boxes.map((box) => box.y)) - top);
	const width = Math.ceil(Math.max(...boxes.map((box) => box.x + box.width)) + right) - x;
	const height = Math.ceil(Math.max(...boxes.map((box) => box.y + box.height)) + bottom) - y;
	return { x, y, width, height };
}

export async function boxesOf(shown: Locator[]): Promise<Box[]> {
	const all = (await Promise.all(shown.map(async (each) => await each.all()))).flat();
	const boxes = await Promise.all(all.map(async (each) => await each.boundingBox()));
	return boxes.filter((box) => box !== null).filter(({ width, height }) => width > 0 && height > 0);
}

/** Where a workflow is on the canvas: its nodes with their names, and the lines between them. */
export async function workflowBox(page: Page, margins: Margins = {}): Promise<Box> {
	const nodes = page.getByTestId('canvas-node');
	return await boxAround(
		[nodes, nodes.locator('*'), page.locator('.vue-flow__edge-path')],
		margins,
	);
}

/** Waits until what is shown is drawn as it will stay. */
export async function still(page: Page): Promise<void> {
	await page.mouse.move(0, 0);
	await page.waitForLoadState('networkidle');
	await page.evaluate(
		`document.fonts.ready.then(() => Promise.all(document.getAnimations()
			.filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
			.map(({ finished }) => finished.catch(() => undefined))))`,
	);
}
