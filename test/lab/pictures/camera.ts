import type { Locator, Page } from '../n8n/browser';

/** In pixels of the page. */
interface Box {
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

/** A picture of the part of the page that holds all these, and of nothing beside them. */
export async function shootAround(
	page: Page,
	shown: Locator[],
	margins: Margins = {},
): Promise<Buffer> {
	const { top = 0, right = 0, bottom = 0, left = 0 } = margins;
	const boxes = await boxesOf(shown);
	const x = Math.floor(Math.min(...boxes.map((box) => box.x)) - left);
	const y = Math.floor(Math.min(...boxes.map((box) => box.y)) - top);
	const width = Math.ceil(Math.max(...boxes.map((box) => box.x + box.width)) + right) - x;
	const height = Math.ceil(Math.max(...boxes.map((box) => box.y + box.height)) + bottom) - y;
	return await shoot(page, { x, y, width, height });
}

export async function shoot(page: Page, clip: Box): Promise<Buffer> {
	return await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
}

async function boxesOf(shown: Locator[]): Promise<Box[]> {
	const all = (await Promise.all(shown.map(async (each) => await each.all()))).flat();
	const boxes = await Promise.all(all.map(async (each) => await each.boundingBox()));
	return boxes.filter((box) => box !== null);
}

/** Waits until what is shown is drawn as it will stay. */
export async function still(page: Page): Promise<void> {
	await page.evaluate(
		`document.fonts.ready.then(() => Promise.all(document.getAnimations()
			.filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
			.map(({ finished }) => finished.catch(() => undefined))))`,
	);
}
