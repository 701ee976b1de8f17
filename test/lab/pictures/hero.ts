import type { Page } from '../n8n/browser';
import { Editor } from '../proof/editor';
import { boxAround, shoot, still, workflowBox } from './camera';
import { imageCard, withCards } from './cards';
import { LEADS } from './data';
import type { Frame } from './png';
import type { Studio } from './studio';

const [LEAD] = LEADS;

/** In pixels of the page. */
const WINDOW = { width: 1300, height: 640 };
const PANEL = { width: 960, height: 900 };
const WORKFLOW = { width: 1000, height: 190 };
const CARD = { width: 470, rows: 7, height: 300 };

/** What is below the workflow: nothing yet, the lead, or what the CRM has got too. */
interface Cards {
	lead?: Buffer;
	record?: Buffer;
}

/** A lead arrives, and goes through a workflow to a CRM. */
export async function leadArrives(studio: Studio): Promise<Frame[]> {
	const { stage, browser } = studio;
	const { workflow, branch } = await studio.example('new-leads-to-crm.json');
	studio.addLead(LEAD, branch);
	const [trigger = '', toRecord = '', send = ''] = workflow.nodes.map(({ name }) => name);
	const editor = await Editor.open(browser, stage.n8n, workflow.id);
	const { page } = editor;
	await page.setViewportSize(WINDOW);
	await page.getByTestId('zoom-to-fit').click();
	const idle = await shootWorkflow(page);
	const crm = studio.holdCrm();
	const executed = editor.execute([trigger, toRecord, send]);
	await crm.asked;
	await editor.succeeded(toRecord);
	const running = await shootWorkflow(page);
	crm.release();
	await executed;
	const done = await shootWorkflow(page);
	const lead = await shootRows(editor, trigger);
	const record = await shootRows(editor, toRecord);
	const whole = await compose(page, done, { lead, record });
	const frames = [
		// First what is left at the end: whoever shows no moving pictures shows this one.
		{ png: whole, milliseconds: 1500 },
		{ png: await compose(page, idle), milliseconds: 700 },
		{ png: await compose(page, idle, { lead }), milliseconds: 1100 },
		{ png: await compose(page, running, { lead }), milliseconds: 700 },
		{ png: whole, milliseconds: 1000 },
	];
	await page.close();
	return frames;
}

/** The canvas with the workflow in its middle. */
async function shootWorkflow(page: Page): Promise<Buffer> {
	await still(page);
	const { x, y, width, height } = await workflowBox(page);
	const left = Math.round(x + (width - WORKFLOW.width) / 2);
	const top = Math.round(y + (height - WORKFLOW.height) / 2);
	return await shoot(page, { x: left, y: top, ...WORKFLOW });
}

/** The first fields of what a node has returned. */
async function shootRows(editor: Editor, node: string): Promise<Buffer> {
	const { page } = editor;
	await page.setViewportSize(PANEL);
	const view = await editor.openNode(node);
	const output = page.getByTestId('ndv').getByTestId('output-panel');
	await output.getByTestId('radio-button-schema').click();
	await still(page);
	const rows = await output.getByTestId('run-data-schema-item').all();
	const { x, y, height } = await boxAround(rows.slice(0, CARD.rows), { top: 4, bottom: -3 });
	const card = await shoot(page, { x, y, width: CARD.width, height });
	await view.close();
	await page.setViewportSize(WINDOW);
	return card;
}

async function compose(
	page: Page,
	workflow: Buffer,
	{ lead, record }: Cards = {},
): Promise<Buffer> {
	const onCard = (title: string, png?: Buffer) =>
		png ? imageCard(title, { png, width: CARD.width }) : '';
	return await withCards(
		page,
		{ png: workflow, width: WORKFLOW.width },
		{ cards: [onCard('A new lead', lead), onCard('In your CRM', record)], height: CARD.height },
	);
}
