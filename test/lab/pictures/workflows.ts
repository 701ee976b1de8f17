import type { INode } from 'n8n-workflow';

import { PACKAGE_NAME, type StoredWorkflow } from '../n8n';
import type { Page } from '../n8n/browser';
import { AGENCY } from '../n8n/stage';
import { shoot, still, workflowBox, type Box } from './camera';
import { textCard, withCards } from './cards';
import { LEADS, LISTING_ID, TERRACED_HOUSE, type PicturedLead } from './data';
import type { Studio } from './studio';

const [APPLICANT, APPRAISAL] = LEADS;

/** Of the browser, so that the widest workflow still has a picture that a page can show. */
const CANVAS = { width: 1660, height: 1000 };

/** The bolt of a trigger stands at its left. */
const MARGINS = { top: 28, right: 28, bottom: 28, left: 48 };

/** The examples that a new lead starts. */
export async function newLeads(studio: Studio): Promise<Buffer> {
	return await pollsLead(studio, 'new-leads-to-crm.json', APPLICANT);
}

export async function appraisalToNegotiator(studio: Studio): Promise<Buffer> {
	return await pollsLead(studio, 'appraisal-to-negotiator.json', APPRAISAL);
}

/** With the message that the team reads in its chat. */
export async function leadWithProperty(studio: Studio): Promise<Buffer> {
	const { workflow, branch } = await studio.example('lead-with-property.json');
	await studio.stage.n8n.activate(workflow);
	studio.addLead(APPLICANT, branch);
	const { page, box, execution } = await showRun(studio, workflow);
	const [message] = (await studio.stage.n8n.getExecution(execution)).json('Message');
	if (typeof message?.text !== 'string') throw new Error('No message was made');
	const picture = await withCards(
		page,
		{ png: await shoot(page, box), width: box.width },
		{ cards: [textCard('In your team chat', message.text)] },
	);
	await page.close();
	return picture;
}

export async function instantLeadResponse(studio: Studio): Promise<Buffer> {
	const { workflow, branch } = await studio.example('instant-lead-response.json');
	await studio.stage.n8n.activate(workflow);
	const { webhookId } = nodeOf(workflow, `${PACKAGE_NAME}.agentLeadsPushTrigger`);
	studio.pushTo(`webhook/${webhookId}/leads`);
	studio.addLead(APPLICANT, branch);
	return await shootRun(studio, workflow);
}

export async function priceDropToApplicants(studio: Studio): Promise<Buffer> {
	const { n8n, sandbox } = studio.stage;
	const { workflow, branch } = await studio.example('price-drop-to-applicants.json');
	for (const lead of LEADS) studio.addLead(lead, branch);
	const { id } = sandbox.inventory.create(AGENCY, TERRACED_HOUSE);
	const baseline = sandbox.waitForRequest(
		({ path, status }) => path.endsWith('/inventory/items') && status === 200,
	);
	await n8n.activate(workflow);
	await baseline;
	sandbox.inventory.change(AGENCY, id, { price: TERRACED_HOUSE.price - 10_000 });
	const picture = await shootRun(studio, workflow);
	sandbox.inventory.remove(AGENCY, id);
	return picture;
}

export async function dailyLeadSummary(studio: Studio): Promise<Buffer> {
	const { workflow, branch } = await studio.example('daily-lead-summary.json');
	for (const lead of LEADS) studio.addLead(lead, branch);
	const schedule = nodeOf(workflow, 'n8n-nodes-base.scheduleTrigger');
	await studio.stage.n8n.runManually(workflow, schedule.name);
	return await shootRun(studio, workflow);
}

export async function backfillLeads(studio: Studio): Promise<Buffer> {
	const { workflow, branch } = await studio.example('backfill-leads-to-table.json');
	for (const lead of LEADS) studio.addLead(lead, branch);
	await studio.stage.n8n.runManually(workflow);
	return await shootRun(studio, workflow);
}

export async function promoteListing(studio: Studio): Promise<Buffer> {
	const { workflow } = await studio.example('promote-listing.json');
	await studio.stage.n8n.activate(workflow);
	const { webhookId } = nodeOf(workflow, 'n8n-nodes-base.formTrigger');
	const form = await studio.browser.open(studio.stage.n8n, `/form/${webhookId}`);
	await fillIn(form);
	await studio.succeeded(workflow);
	await form.close();
	return await shootRun(studio, workflow);
}

/** Whatever the form asks for. */
async function fillIn(form: Page): Promise<void> {
	const consent = form.getByText('Allow access');
	const listing = form.getByLabel('Listing ID');
	await consent.or(listing).waitFor();
	if (await consent.isVisible()) await consent.click();
	await listing.waitFor();
	for (const field of await form.locator('input[type="text"]').all())
		await field.fill(TERRACED_HOUSE.displayAddress);
	await listing.fill(String(LISTING_ID));
	await form.getByText('Next', { exact: true }).click();
	await form.getByText('Yes', { exact: true }).click();
	await form.getByText('Send', { exact: true }).click();
}

async function pollsLead(studio: Studio, file: string, lead: PicturedLead): Promise<Buffer> {
	const { workflow, branch } = await studio.example(file);
	await studio.stage.n8n.activate(workflow);
	studio.addLead(lead, branch);
	return await shootRun(studio, workflow);
}

function nodeOf({ name, nodes }: StoredWorkflow, type: string): INode {
	const node = nodes.find((each) => each.type === type);
	if (!node) throw new Error(`${name} has no ${type}`);
	return node;
}

/** The nodes of its run, and how many items went from one to the next. */
async function shootRun(studio: Studio, workflow: StoredWorkflow): Promise<Buffer> {
	const { page, box } = await showRun(studio, workflow);
	const picture = await shoot(page, box);
	await page.close();
	return picture;
}

/** Opens its run, and says where on the page it is. */
async function showRun(
	studio: Studio,
	workflow: StoredWorkflow,
): Promise<{ page: Page; box: Box; execution: string }> {
	const { n8n, sandbox } = studio.stage;
	const execution = await studio.succeeded(workflow);
	await n8n.deactivate(workflow);
	sandbox.pushes.clear();
	const path = `/workflow/${workflow.id}/executions/${execution}`;
	const page = await studio.browser.open(n8n, path);
	await page.setViewportSize(CANVAS);
	await page.getByTestId('canvas-node').first().waitFor();
	await page.getByTestId('zoom-to-fit').click();
	await still(page);
	return { page, box: await workflowBox(page, MARGINS), execution };
}
