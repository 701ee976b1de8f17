import { PACKAGE_NAME, type NodeInput } from '../n8n';
import {
	APPLICANTS_PATH,
	INVENTORY,
	INVENTORY_TRIGGER,
	NODE,
	PRODUCTS,
	TRIGGER,
} from '../n8n/stage';
import { Editor } from '../proof/editor';
import type { NodeView } from '../proof/nodeView';
import { boxAround, boxesOf, shoot, still } from './camera';
import { LEADS, LISTING_ID } from './data';
import type { Studio } from './studio';

const PUSH_TRIGGER = 'Agent Leads Push Trigger';
const WEBHOOK_ID = '7c0f4a52-1e6b-4d39-9a88-2b5d03e17f64';

const [APPLICANT] = LEADS;

/** Of the browser: wide enough for the labels, high enough for all parameters. */
const WINDOW = { width: 1100, height: 1300 };

/** A panel with few parameters shows the output down to here. */
const LOWEST = 620;

export async function agentLeads(studio: Studio): Promise<Buffer> {
	const view = await openAlone(studio, leadsNode(studio));
	await view.executeStep();
	return await shootView(view);
}

export async function agentLeadsTrigger(studio: Studio): Promise<Buffer> {
	const { agentLeadsApi } = studio.credentials;
	const view = await openAlone(studio, {
		name: TRIGGER,
		type: `${PACKAGE_NAME}.agentLeadsTrigger`,
		credentials: { agentLeadsApi },
	});
	await view.executeStep();
	return await shootView(view);
}

export async function agentLeadsPushTrigger(studio: Studio): Promise<Buffer> {
	const { agentLeadsPushApi } = studio.credentials;
	const view = await openAlone(studio, {
		name: PUSH_TRIGGER,
		type: `${PACKAGE_NAME}.agentLeadsPushTrigger`,
		typeVersion: 1.1,
		webhookId: WEBHOOK_ID,
		credentials: { agentLeadsPushApi },
	});
	const { sandbox } = studio.stage;
	await view.page.getByText('Webhook URLs').click();
	await view.page.getByTestId('radio-button-production').click();
	await view.executeStep(() => {
		studio.pushTo(`webhook-test/${WEBHOOK_ID}/leads`);
		studio.addLead(APPLICANT, 'pushed');
		sandbox.pushes.clear();
	});
	return await shootView(view);
}

export async function agentInventory(studio: Studio): Promise<Buffer> {
	const { agentInventoryApi } = studio.credentials;
	const view = await openAlone(studio, {
		name: INVENTORY,
		type: `${PACKAGE_NAME}.agentInventory`,
		parameters: {
			resource: 'property',
			operation: 'search',
			query: 'Littleford',
			options: { wholeRecords: true },
		},
		credentials: { agentInventoryApi },
	});
	await view.executeStep();
	return await shootView(view);
}

export async function agentInventoryTrigger(studio: Studio): Promise<Buffer> {
	const { agentInventoryApi } = studio.credentials;
	const view = await openAlone(studio, {
		name: INVENTORY_TRIGGER,
		type: `${PACKAGE_NAME}.agentInventoryTrigger`,
		credentials: { agentInventoryApi },
	});
	await view.executeStep();
	return await shootView(view);
}

export async function agentProducts(studio: Studio): Promise<Buffer> {
	const { agentProductsApi } = studio.credentials;
	studio.stage.sandbox.products.clear();
	const view = await openAlone(studio, {
		name: PRODUCTS,
		type: `${PACKAGE_NAME}.agentProducts`,
		parameters: {
			resource: 'premiumListing',
			operation: 'activate',
			listingId: String(LISTING_ID),
		},
		credentials: { agentProductsApi },
	});
	await view.executeStep();
	return await shootView(view);
}

/** An error as n8n shows it: what has happened, and what to do. */
export async function nodeError(studio: Studio): Promise<Buffer> {
	const { faults } = studio.stage.sandbox;
	faults.add({ kind: 'status', status: 403, path: APPLICANTS_PATH, times: Infinity });
	const view = await openAlone(studio, leadsNode(studio));
	await view.executeInVain().finally(() => faults.clear());
	const { page } = view;
	await still(page);
	const output = page.getByTestId('ndv').getByTestId('output-panel');
	const { x, y, width } = await boxAround([output]);
	const end = await boxAround([output.getByText('Other info')], { bottom: 36 });
	const picture = await shoot(page, { x, y, width, height: end.y + end.height - y });
	await page.close();
	return picture;
}

function leadsNode({ credentials: { agentLeadsApi } }: Studio): NodeInput {
	return {
		name: NODE,
		type: `${PACKAGE_NAME}.agentLeads`,
		parameters: { resource: 'applicantLead', operation: 'getAll' },
		credentials: { agentLeadsApi },
	};
}

/** The view of a node that is the only one of its workflow. */
async function openAlone(studio: Studio, node: NodeInput): Promise<NodeView> {
	const { id } = await studio.save(node);
	const editor = await Editor.open(studio.browser, studio.stage.n8n, id);
	await editor.page.setViewportSize(WINDOW);
	return await editor.openNode(node.name);
}

/** The parameters and the output side by side, as far down as there are parameters. */
async function shootView({ page }: NodeView): Promise<Buffer> {
	const view = page.getByTestId('ndv');
	const output = view.getByTestId('output-panel');
	await output.getByTestId('radio-button-schema').click();
	await still(page);
	const { x, y, width } = await boxAround([view.locator('> div')]);
	const parameters = await boxAround([view.getByTestId('parameter-item')], { bottom: 32 });
	const end = Math.max(parameters.y + parameters.height, LOWEST);
	const rows = await boxesOf([output.getByTestId('run-data-schema-item')]);
	// The last row is whole.
	const next = rows.find((row) => row.y >= end);
	const bottom = Math.floor(next ? next.y - 3 : end);
	const picture = await shoot(page, { x, y, width, height: bottom - y });
	await page.close();
	return picture;
}
