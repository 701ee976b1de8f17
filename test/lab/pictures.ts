// The pictures of docs/images, taken in a real n8n: `npm run pictures`, or `npm run pictures -- --only node-error`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { credentialOf } from './credentialOf';
import { Failure } from './failure';
import { chain, PACKAGE_NAME, type NodeInput } from './n8n';
import { Browser, type Locator, type Page } from './n8n/browser';
import { CredentialForm } from './n8n/credentialForm';
import { Editor } from './n8n/editor';
import { APPLICANTS_PATH, Stage } from './n8n/stage';
import { exampleFiles, readExample } from './n8n/stage/examples';
import { root } from './paths';

interface Studio {
	stage: Stage;
	browser: Browser;
}

type Shot = (studio: Studio) => Promise<{ page: Page; clip: Clip }>;

interface Clip {
	x: number;
	y: number;
	width: number;
	height: number;
}

const PUSH_KEY = 'invented-key-of-the-agency-5e0b7c21';
const WEBHOOK_ID = '7c0f4a52-1e6b-4d39-9a88-2b5d03e17f64';
const LISTING_ID = '1001';
const MARGIN = 28;

/** Hides what n8n shows for the moment, what belongs to editing, and the input beside a node's parameters. */
const STYLE = `
	[data-test-id="ndv"] main > div:first-child, [data-test-id="ndv"] aside,
	[data-test-id="panel-drag-button"], [data-test-id="tooltip-content"], .vue-flow__background,
	[data-test-id^="execute-workflow-button-"] { display: none !important; }
	[data-test-id="ndv"] main > div:nth-child(2), [data-test-id="ndv"] main > div:nth-child(3) { width: 50% !important; }
	.el-notification, [data-test-id="canvas-controls"] { opacity: 0 !important; }
	.el-dialog, .el-dialog * { max-height: none !important; }
`;

const LEADS = { resource: 'applicantLead', operation: 'getAll' };
const SEARCH = { resource: 'property', operation: 'search', searchBy: 'text', query: 'Road' };
const ORDER = { resource: 'premiumListing', operation: 'activate', listingId: LISTING_ID };

/** How each picture is taken, by the name of its file in docs/images. */
const SHOTS: Record<string, Shot> = {
	'agent-leads-node': panel('agentLeads', LEADS),
	'agent-leads-trigger-node': panel('agentLeadsTrigger'),
	'agent-leads-push-trigger-node': panel('agentLeadsPushTrigger'),
	'agent-inventory-node': panel('agentInventory', SEARCH),
	'agent-inventory-trigger-node': panel('agentInventoryTrigger'),
	'agent-products-node': panel('agentProducts', ORDER),
	'node-error': async (studio) => {
		const { faults } = studio.stage.sandbox;
		faults.add({ kind: 'status', status: 403, path: APPLICANTS_PATH, times: Infinity });
		return await panel('agentLeads', LEADS, 'error')(studio).finally(() => faults.clear());
	},
	'node-panel': async ({ browser, stage }) => {
		const editor = await Editor.open(browser, stage.n8n);
		await editor.search('estate agent', ['Agent Inventory', 'Agent Leads', 'Agent Products']);
		return { page: editor.page, clip: await around(editor.page.getByTestId('node-creator')) };
	},
	credential: async (studio) => {
		const form = await CredentialForm.open(studio.browser, studio.stage.n8n, 'Agent Leads API');
		const { data } = credentialOf(studio.stage.sandbox, studio.stage.addClient());
		for (const [name, value] of Object.entries(data)) await form.type(name, value);
		await form.save();
		return await dialog(form.page);
	},
	'credential-openpgp': async ({ browser, stage }) => {
		const form = await CredentialForm.open(browser, stage.n8n, 'Agent Leads API');
		await form.choose('secretFormat', 'OpenPGP Message');
		await form.field('encryptedSecret').waitFor();
		return await dialog(form.page);
	},
	...Object.fromEntries(
		exampleFiles().map((file) => [`${file.slice(0, -5)}-workflow`, canvas(file)]),
	),
};

/** Takes pictures; all of them when none is named. One that cannot be taken stays as it was. */
export async function takePictures(only = Object.keys(SHOTS)): Promise<void> {
	const missed: string[] = [];
	const stage = await Stage.start();
	const browser = await Browser.start({ deviceScaleFactor: 2 });
	const { sandbox } = stage;
	sandbox.pushes.add({
		url: `${stage.n8n.url}/webhook-test/${WEBHOOK_ID}/leads`,
		authentication: { by: 'key', key: PUSH_KEY },
	});
	for (const kind of ['applicant', 'appraisal', 'applicant'] as const) sandbox.addLead(kind);
	for (const name of only) {
		try {
			const shot = SHOTS[name];
			if (!shot) throw new Failure(`There are: ${Object.keys(SHOTS).join(', ')}`);
			const { page, clip } = await shot({ stage, browser });
			const png = await page.screenshot({ clip, animations: 'disabled', caret: 'hide' });
			writeFileSync(join(root, 'docs', 'images', `${name}.png`), png);
			await page.close();
			process.stdout.write(`${name}: ${Math.round(png.length / 1_000)} kB\n`);
		} catch (error) {
			missed.push(`${name}: ${String(error)}`);
		}
	}
	await browser.stop();
	await stage.stop();
	if (missed.length > 0) throw new Failure(`Not taken:\n${missed.join('\n')}`);
}

/** The view of a node that is the only one of its workflow, after it has been tried. */
function panel(
	type: string,
	parameters: NodeInput['parameters'] = {},
	outcome: 'success' | 'error' = 'success',
): Shot {
	return async ({ stage, browser }) => {
		const node = {
			name: (await stage.n8n.nodeTypes()).find(({ name }) => name === `${PACKAGE_NAME}.${type}`)
				?.displayName,
			type: `${PACKAGE_NAME}.${type}`,
			...(type === 'agentLeadsPushTrigger' && { typeVersion: 1.1, webhookId: WEBHOOK_ID }),
			parameters,
			credentials: await credentialsOf(stage, type),
		};
		const name = node.name ?? type;
		const { id } = await stage.save(chain('Pictures', { ...node, name }));
		const { page, ...editor } = await opened(browser, stage, id);
		await page.setViewportSize({ width: 1_100, height: 900 });
		const view = await editor.open(name);
		await view.execute(outcome, () => stage.sandbox.addLead('applicant'));
		const { width, height, ...corner } = await around(page.getByTestId('ndv'));
		return { page, clip: { ...corner, width, height: Math.min(height, 800) } };
	};
}

async function credentialsOf(stage: Stage, type: string): Promise<NodeInput['credentials']> {
	const { n8n, sandbox } = stage;
	if (type === 'agentLeadsPushTrigger') {
		const data = { authentication: 'apiKey', apiKey: PUSH_KEY };
		const name = 'Leads pushed to Littleford';
		return { agentLeadsPushApi: await n8n.createCredential('agentLeadsPushApi', name, data) };
	}
	const client = type.startsWith('agentLeads')
		? sandbox.leadsClient
		: type.startsWith('agentInventory')
			? sandbox.inventoryClient
			: sandbox.productsClient;
	const { type: credentialType, data } = credentialOf(sandbox, client);
	const saved = await n8n.createCredential(credentialType, 'Agency of Littleford', data);
	return { [credentialType]: saved };
}

/** An example on the canvas, without its notes. */
function canvas(file: string): Shot {
	return async ({ stage, browser }) => {
		const example = readExample(file);
		const nodes = example.nodes
			.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
			.map((node) => ({ ...node, disabled: false }));
		const { id } = await stage.save({ ...example, nodes });
		const { page } = await opened(browser, stage, id);
		await page.setViewportSize({ width: 1_660, height: 1_000 });
		await page.getByTestId('zoom-to-fit').click();
		await page.waitForLoadState('networkidle');
		const { x, y, width, height } = await around(page.getByTestId('canvas-node'));
		const margins = { width: width + 2 * MARGIN, height: height + 4 * MARGIN };
		return { page, clip: { x: x - MARGIN, y: y - MARGIN, ...margins } };
	};
}

async function opened(browser: Browser, stage: Stage, id: string) {
	const editor = await Editor.open(browser, stage.n8n, id);
	await editor.page.addStyleTag({ content: STYLE });
	return { page: editor.page, open: async (name: string) => await editor.openNode(name) };
}

async function dialog(page: Page): Promise<{ page: Page; clip: Clip }> {
	await page.setViewportSize({ width: 1_120, height: 1_400 });
	await page.addStyleTag({ content: STYLE });
	const save = page.getByTestId('credential-save-button');
	return { page, clip: await around(page.locator('.el-dialog').filter({ has: save })) };
}

/** The part of a page that holds all these. */
async function around(shown: Locator): Promise<Clip> {
	await shown.first().waitFor();
	const boxes = await Promise.all(
		(await shown.all()).map(async (each) => await each.boundingBox()),
	);
	const found = boxes.filter((box) => box !== null);
	const x = Math.min(...found.map((box) => box.x));
	const y = Math.min(...found.map((box) => box.y));
	const width = Math.max(...found.map((box) => box.x + box.width)) - x;
	const height = Math.max(...found.map((box) => box.y + box.height)) - y;
	return { x, y, width, height };
}
