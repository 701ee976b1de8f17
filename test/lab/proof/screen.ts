import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Page } from '../n8n/browser';
import { root } from '../paths';

const SCREENSHOTS = join(root, '.tmp', 'screenshots');
const MEASURE = pageScript('measure');

/** An icon as the browser shows it; one that did not load has no width. */
export interface Icon {
	src: string;
	width: number;
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
export async function screenshot(
	page: Page,
	name: string,
	options: { fullPage?: boolean } = {},
): Promise<void> {
	mkdirSync(SCREENSHOTS, { recursive: true });
	await page.screenshot({ ...options, path: join(SCREENSHOTS, `${name}.png`) });
}

/** What is in an element that shows an icon. */
export async function iconIn(page: Page, selector: string): Promise<Icon> {
	return await page.evaluate<Icon>(`shownIcon(${JSON.stringify(selector)})`);
}

/** A file of test/lab/proof/page/, which runs inside the page. */
export function pageScript(name: string): string {
	return join(root, 'test', 'lab', 'proof', 'page', `${name}.js`);
}

/** n8n's editor marks what it shows with these IDs. */
export function testId(id: string): string {
	return `[data-test-id="${id}"]`;
}
