import { expect, it } from '@jest/globals';

import { credentialOf } from '../../lab/credentialOf';
import { chain, manualTrigger, PACKAGE_NAME } from '../../lab/n8n';
import { CredentialForm } from '../../lab/n8n/credentialForm';
import { Editor } from '../../lab/n8n/editor';
import { INVENTORY, NODE, PRODUCTS, type Client } from '../../lab/n8n/stage';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';

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
