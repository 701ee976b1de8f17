import { CredentialForm } from '../n8n/credentialForm';
import { Editor } from '../proof/editor';
import { boxAround, shoot, shootAround, still, workflowBox } from './camera';
import type { Studio } from './studio';

/** Of the browser: a credential's form and its whole fields, or a small workflow. */
const WINDOW = { width: 1120, height: 1500 };
const EDITOR = { width: 1000, height: 480 };

/** Filled in, saved and tested. */
export async function credential(studio: Studio): Promise<Buffer> {
	const form = await openForm(studio);
	const { clientId, clientSecret } = studio.stage.addClient({ clientId: '4k1v9qtd7example' });
	await form.type('clientId', clientId);
	await form.type('clientSecret', clientSecret);
	await form.type('authUrl', 'https://auth.example.com');
	await form.type('leadsUrl', 'https://leads.example.com');
	await form.save();
	const picture = await shootForm(form);
	await studio.forgetNewCredentials();
	return picture;
}

/** With the fields of an encrypted secret, before anything is entered. */
export async function credentialOpenpgp(studio: Studio): Promise<Buffer> {
	const form = await openForm(studio);
	await form.choose('secretFormat', 'OpenPGP Message');
	await form.field('encryptedSecret').waitFor();
	return await shootForm(form);
}

async function openForm({ browser, stage }: Studio): Promise<CredentialForm> {
	const form = await CredentialForm.open(browser, stage.n8n, 'Agent Leads API');
	await form.page.setViewportSize(WINDOW);
	return form;
}

/** Down to the last field: n8n's own advice follows, and empty space. */
async function shootForm({ page }: CredentialForm): Promise<Buffer> {
	await still(page);
	const save = page.getByTestId('credential-save-button');
	const dialog = page.locator('.el-dialog').filter({ has: save });
	const { x, y, width } = await boxAround([dialog]);
	const fields = await boxAround([dialog.locator('[data-test-id^="parameter-input-"]')], {
		bottom: 16,
	});
	const picture = await shoot(page, { x, y, width, height: fields.y + fields.height - y });
	await page.close();
	return picture;
}

/** The nodes that n8n's search finds. */
export async function nodePanel({ browser, stage }: Studio): Promise<Buffer> {
	const editor = await Editor.open(browser, stage.n8n);
	const panel = await editor.addFirstStep();
	await panel.search('estate agent', ['Agent Inventory', 'Agent Leads', 'Agent Products']);
	const { page } = editor;
	await still(page);
	const creator = page.getByTestId('node-creator');
	const last = creator.getByTestId('node-creator-item-name').last();
	const box = await boxAround([creator]);
	const end = await boxAround([last], { bottom: 64 });
	const picture = await shoot(page, { ...box, height: end.y + end.height - box.y });
	await page.close();
	return picture;
}

/** Where to publish a workflow: the head of the editor above the workflow. */
export async function publish(studio: Studio): Promise<Buffer> {
	const { workflow } = await studio.example('new-leads-to-crm.json');
	const editor = await Editor.open(studio.browser, studio.stage.n8n, workflow.id);
	const { page } = editor;
	await page.setViewportSize(EDITOR);
	await page.getByTestId('zoom-to-fit').click();
	await still(page);
	const header = await boxAround([page.locator('header#header')]);
	const content = await workflowBox(page, { bottom: 28 });
	const height = content.y + content.height - header.y;
	const picture = await shoot(page, { ...header, height });
	await page.close();
	return picture;
}

/** What n8n says once a workflow is published. */
export async function published(studio: Studio): Promise<Buffer> {
	const { workflow } = await studio.example('new-leads-to-crm.json');
	const editor = await Editor.open(studio.browser, studio.stage.n8n, workflow.id);
	const { page } = editor;
	await page.getByTestId('workflow-open-publish-modal-button').click();
	await page.getByTestId('workflow-publish-button').click();
	const title = page.getByText('Workflow published', { exact: true });
	const dialog = page.locator('.el-dialog').filter({ has: title });
	await dialog.waitFor();
	await still(page);
	const picture = await shootAround(page, [dialog]);
	await page.close();
	await studio.stage.n8n.deactivate(workflow);
	return picture;
}
