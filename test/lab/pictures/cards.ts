import escape from 'lodash/escape';
import type { Page } from '../n8n/browser';
import { boxAround, shoot } from './camera';

/** A workflow as it was shot, and how wide it is, in pixels of the page. */
export interface Shot {
	png: Buffer;
	width: number;
}

const ID = 'picture-with-cards';

/**
 * A picture of a workflow with cards in a row below it, drawn on a page of n8n, which has its fonts. The page is of no
 * other use after that.
 *
 * @param cards HTML, as `card` and `imageCard` make it; empty ones keep their place
 * @param height of the row, in pixels of the page; as high as its cards are when not given
 */
export async function withCards(
	page: Page,
	workflow: Shot,
	{ cards, height }: { cards: string[]; height?: number },
): Promise<Buffer> {
	const html = `
		<div id="${ID}" style="background: #f5f5f5; width: ${workflow.width}px; font-family: InterVariable">
			${image(workflow)}
			<div style="display: flex; justify-content: space-between; align-items: flex-start; height: ${height === undefined ? 'auto' : `${height}px`}; padding: 8px 16px 16px">
				${cards.map((each) => each || '<div></div>').join('\n')}
			</div>
		</div>`;
	await page.evaluate(`document.body.innerHTML = ${JSON.stringify(html)}`);
	await page.evaluate(`Promise.all([...document.images].map((each) => each.decode()))`);
	return await shoot(page, await boxAround([page.locator(`#${ID}`)]));
}

/** A card with a picture on it. */
export function imageCard(title: string, content: Shot): string {
	return card(title, image(content));
}

/** A card with a text on it, whose line breaks stay. */
export function textCard(title: string, text: string): string {
	return card(
		title,
		`<div style="white-space: pre-wrap; font-size: 13px; line-height: 1.55; padding: 10px 14px 12px">${escape(text)}</div>`,
	);
}

function card(title: string, content: string): string {
	return `
		<div style="background: #f5f5f5; border: 1px solid #ddd; border-radius: 8px; overflow: hidden">
			<div style="background: #fff; font-weight: 600; font-size: 15px; padding: 10px 14px">${escape(title)}</div>
			${content}
		</div>`;
}

function image({ png, width }: Shot): string {
	const source = `data:image/png;base64,${png.toString('base64')}`;
	return `<img src="${source}" style="display: block; width: ${width}px" alt="">`;
}
