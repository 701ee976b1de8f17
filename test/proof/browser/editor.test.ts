import { expect, it } from '@jest/globals';

import { credentialOf } from '../../lab/credentialOf';
import type { N8n } from '../../lab/n8n';
import { PACKAGE_NAME, chain, manualTrigger } from '../../lab/n8n';
import type { Browser, Locator, Page } from '../../lab/n8n/browser';
import { CredentialForm } from '../../lab/n8n/credentialForm';
import type { Client } from '../../lab/n8n/stage';
import { INVENTORY, NODE, PRODUCTS } from '../../lab/n8n/stage';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';

/** n8n's editor on one workflow, driven as a person does it. */
class Editor {
	private constructor(readonly page: Page) {}

	/** @param id of a stored workflow; a new one when not given */
	static async open(browser: Browser, n8n: N8n, id = 'new'): Promise<Editor> {
		const page = await browser.open(n8n, `/workflow/${id}`);
		const content = page.getByTestId('canvas-node').or(page.getByTestId('canvas-add-button'));
		await content.first().waitFor();
		return new Editor(page);
	}

	/** Opens the panel in which nodes are searched, types words, and waits until the panel offers these nodes. */
	async search(words: string, expected: string[]): Promise<void> {
		await this.page.getByTestId('canvas-add-button').click();
		await this.page.getByTestId('node-creator-search-bar').fill(words);
		for (const name of expected) await this.offer(name).waitFor();
	}

	/** What a node of the panel offers: its events, or else its actions. */
	async offersOf(name: string): Promise<string[]> {
		await this.offer(name).click();
		const offers = this.page.locator('[data-keyboard-nav-type="action"]');
		await offers.first().waitFor();
		return await offers.getByTestId('node-creator-item-name').allInnerTexts();
	}

	/** Chooses an event or an action of a node, which puts it on the canvas and opens it. */
	async choose(name: string): Promise<NodeView> {
		await this.offer(name).click();
		return await NodeView.opened(this.page);
	}

	async openNode(name: string): Promise<NodeView> {
		await this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`).dblclick();
		return await NodeView.opened(this.page);
	}

	private offer(name: string): Locator {
		const names = this.page.getByTestId('node-creator').getByTestId('node-creator-item-name');
		return names.getByText(name, { exact: true });
	}
}

/** What the editor shows of one node: its input, its parameters, its output. */
class NodeView {
	private constructor(private readonly page: Page) {}

	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	static async opened(page: Page): Promise<NodeView> {
		await page.getByTestId('node-parameters').waitFor();
		return new NodeView(page);
	}

	async chooseCredential(name: string): Promise<void> {
		const option = this.page.getByRole('option', { name });
		await this.page.getByTestId('node-credentials-select').locator('input').click();
		await option.click();
		await option.waitFor({ state: 'hidden' });
	}

	/**
	 * Runs the node alone, by the button in its head.
	 *
	 * @param outcome of the two: what the output shows then
	 */
	async execute(outcome: 'success' | 'error'): Promise<void> {
		const button = this.page
			.getByTestId('trigger-execute-button')
			.or(this.page.getByTestId('node-execute-button'));
		await button.filter({ visible: true }).first().click();
		const shown = { success: 'node-run-status-success', error: 'node-error-message' }[outcome];
		await this.page.getByTestId(shown).waitFor();
	}
}

const browser = useBrowser();
const stage = useStage();

it.each([
	['lead', NODE, ['On new lead', 'On new applicant lead', 'On new appraisal lead']],
	[
		'property',
		INVENTORY,
		[
			'On new property',
			'On property status changed',
			'On property price changed',
			'On property updated',
		],
	],
	[
		'estate agent',
		PRODUCTS,
		[
			'Activate premium listing',
			'Get premium listing activation',
			'Get many premium listing activations',
			'Update highlights of premium listing',
			'Activate weekly featured property',
			'Get weekly featured property activation',
			'Get many weekly featured property activations',
		],
	],
])('the node panel finds for “%s” what %s does', async (words, name, expected) => {
	const editor = await Editor.open(browser, stage.n8n);
	await editor.search(words, [name]);

	const offered = await editor.offersOf(name);

	// n8n puts ways to start a workflow before the actions of a node.
	expect(offered.slice(-expected.length)).toEqual(expected);
	await editor.page.close();
});

const dataOf = (client: Client) => credentialOf(stage.sandbox, client).data;

const FORMAT: [string, string, string, string] = [
	'secretFormat',
	'OpenPGP Message',
	'encryptedSecret',
	'Plain Text',
];

/** Each credential; a field that decides which others there are, a choice of it, and what that shows. */
it.each<[string, typeof FORMAT, () => Record<string, string>]>([
	['Agent Leads API', FORMAT, () => dataOf(stage.addClient())],
	[
		'Agent Leads Push API',
		['authentication', 'OAuth2 Client Credentials', 'clientSecret', 'API Key'],
		() => ({ apiKey: 'an invented key of 24 letters' }),
	],
	['Agent Inventory API', FORMAT, () => dataOf(stage.addClient({ integration: 'inventory' }))],
	['Agent Products API', FORMAT, () => dataOf(stage.addClient({ integration: 'products' }))],
])(
	'the form of %s is filled in and tested',
	async (displayName, [field, other, shows, usual], data) => {
		const form = await CredentialForm.open(browser, stage.n8n, displayName);
		await form.choose(field, other);
		await form.field(shows).waitFor();
		await form.choose(field, usual);
		for (const [name, value] of Object.entries(data())) await form.type(name, value);

		expect(await form.save()).toContain('Connection tested successfully');

		await form.page.close();
	},
);

it('a trigger is chosen by its event, gets its credential and is tried', async () => {
	const client = stage.addClient({ branches: ['by-hand'] });
	const credential = await stage.saveCredential(client);
	stage.sandbox.addLead('applicant', { message: 'Is it sold?' }, { branchId: 'by-hand' });
	const editor = await Editor.open(browser, stage.n8n);
	await editor.search('lead', [NODE]);
	await editor.offersOf(NODE);
	const trigger = await editor.choose('On new applicant lead');
	await trigger.chooseCredential(credential.name);

	await trigger.execute('success');

	await trigger.output.getByText('Is it sold?').first().waitFor();
	expect(stage.tokensIssued(client)).toBe(1);
	await editor.page.close();
});

it('an error shows what a field holds as text, not as markup', async () => {
	const limit = '<img src=x><b>ten</b> & more';
	const parameters = { resource: 'applicantLead', operation: 'getAll', returnAll: false };
	const { id } = await stage.save(
		chain('Markup', manualTrigger(), {
			name: NODE,
			type: `${PACKAGE_NAME}.agentLeads`,
			parameters: { ...parameters, limit: `={{ ${JSON.stringify(limit)} }}` },
			credentials: { agentLeadsApi: await stage.saveCredential(stage.addClient()) },
		}),
	);
	const editor = await Editor.open(browser, stage.n8n, id);
	const view = await editor.openNode(NODE);

	await view.execute('error');

	const { output } = view;
	await output.getByText(limit).first().waitFor();
	expect(await output.locator('img[src="x"]').count()).toBe(0);
	await editor.page.close();
});
