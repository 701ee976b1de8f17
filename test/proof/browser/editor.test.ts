import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { credentialOf } from '../../lab/credentialOf';
import { chain, manualTrigger, PACKAGE_NAME } from '../../lab/n8n';
import { CredentialForm } from '../../lab/n8n/credentialForm';
import { INVENTORY, NODE, PRODUCTS, TRIGGER, type Client } from '../../lab/n8n/stage';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';
import { Editor } from '../../lab/proof/editor';
import { namesOf, readManifest } from '../../lab/proof/manifest';
import type { NodePanel } from '../../lab/proof/nodePanel';
import { actionOf, SETTINGS } from '../../lab/proof/nodeSettings';
import { cutOff, prepare, screenshot } from '../../lab/proof/screen';

jest.setTimeout(120_000);

/** How far down somebody looks in what a search has found. */
const FIRST = 5;

const OPEN_DEADLINE_MS = 60_000;

const manifest = readManifest();

/**
 * One n8n for all: how it keeps the progress of triggers makes no difference here, since nothing is published. A manual
 * test of a trigger asks once and keeps nothing.
 */
const browser = useBrowser();
const stage = useStage();

describe('the node panel', () => {
	let editor: Editor;
	let panel: NodePanel;

	beforeAll(async () => {
		editor = await Editor.open(browser, stage.n8n);
		panel = await editor.addFirstStep();
	}, OPEN_DEADLINE_MS);

	afterAll(async () => {
		await editor?.close();
	});

	/** The editor shows a trigger and a node of the same name as one. */
	it.each([
		['lead', [NODE]],
		['property', [NODE, INVENTORY, PRODUCTS]],
		['estate agent', [NODE, INVENTORY, PRODUCTS]],
	])('offers what there is for “%s” among the first', async (words, expected) => {
		const found = await panel.search(words, expected);

		await screenshot(editor.page, `panel ${words}`);

		expect(found.slice(0, FIRST)).toEqual(expect.arrayContaining(expected));
		expect(await panel.cutOff()).toEqual([]);
	});

	it.each([
		[NODE, ['On new lead', 'On new applicant lead', 'On new appraisal lead']],
		[
			INVENTORY,
			[
				'On new property',
				'On property status changed',
				'On property price changed',
				'On property updated',
			],
		],
		[
			PRODUCTS,
			[
				'Activate premium listing',
				'Get premium listing',
				'Get many premium listings',
				'Update highlights of premium listing',
				'Activate weekly featured property',
				'Get weekly featured property',
				'Get many weekly featured properties',
			],
		],
	])('lists what %s does', async (name, expected) => {
		await panel.search('estate agent', [name]);

		const offered = await panel.open(name);

		const cut = await panel.cutOff();

		await screenshot(editor.page, `panel ${name}`);

		// n8n puts ways to start a workflow before the actions of a node.
		expect(offered.slice(-expected.length)).toEqual(expected);
		expect(cut).toEqual([]);

		await panel.back();
	});
});

describe('the credentials', () => {
	const FORM = '[data-test-id="credential-edit-dialog"]';

	/** A field that decides which others there are. */
	interface Choice {
		field: string;
		usual: { value: string; name: string };
		other: { value: string; name: string; shows: string };
	}

	interface Case {
		displayName: string;
		type: string;
		choice: Choice;
		/** What a person fills in. */
		data: () => Record<string, string>;
	}

	const secretFormat: Choice = {
		field: 'secretFormat',
		usual: { value: 'plain', name: 'Plain Text' },
		other: { value: 'pgp', name: 'OpenPGP Message', shows: 'encryptedSecret' },
	};
	const dataOf = (client: Client) => credentialOf(stage.sandbox, client).data;

	const cases: Case[] = [
		{
			displayName: 'Agent Leads API',
			type: 'agentLeadsApi',
			choice: secretFormat,
			data: () => dataOf(stage.addClient()),
		},
		{
			displayName: 'Agent Leads Push API',
			type: 'agentLeadsPushApi',
			choice: {
				field: 'authentication',
				usual: { value: 'apiKey', name: 'API Key' },
				other: {
					value: 'clientCredentials',
					name: 'OAuth2 Client Credentials',
					shows: 'clientSecret',
				},
			},
			data: () => ({ apiKey: 'an invented key of 24 letters' }),
		},
		{
			displayName: 'Agent Inventory API',
			type: 'agentInventoryApi',
			choice: secretFormat,
			data: () => dataOf(stage.addInventoryClient()),
		},
		{
			displayName: 'Agent Products API',
			type: 'agentProductsApi',
			choice: secretFormat,
			data: () => dataOf(stage.addProductsClient()),
		},
	];

	it('there is a case for each of the package', () => {
		expect(cases.map(({ type }) => type).sort()).toEqual(namesOf(manifest.n8n.credentials).sort());
	});

	it.each(cases)(
		'$displayName is filled in and tested',
		async ({ displayName, type, choice, data }) => {
			const { field, usual, other } = choice;
			const form = await CredentialForm.open(browser, stage.n8n, displayName);
			await prepare(form.page);
			await expectRequired(form, type, field, usual.value);
			await screenshot(form.page, `${type} empty`);
			expect(await cutOff(form.page, FORM)).toEqual([]);

			await form.choose(field, other.name);
			await form.field(other.shows).waitFor();
			await expectRequired(form, type, field, other.value);
			expect(await cutOff(form.page, FORM)).toEqual([]);

			await form.choose(field, usual.name);

			for (const [name, value] of Object.entries(data())) await form.type(name, value);

			expect(await form.save()).toContain('Connection tested successfully');

			await screenshot(form.page, `${type} tested`);
			await form.page.emulateMedia({ colorScheme: 'dark' });
			await screenshot(form.page, `dark ${type} tested`);
			await form.page.close();
		},
	);

	/** Compares the form's stars with what the credential says it requires if a field has this value. */
	async function expectRequired(
		form: CredentialForm,
		type: string,
		field: string,
		value: string,
	): Promise<void> {
		const credential = (await stage.n8n.credentialTypes()).find(({ name }) => name === type);
		const fields = (credential?.properties ?? [])
			.filter(({ required }) => required)
			.filter(({ displayOptions }) => displayOptions?.show?.[field]?.includes(value) ?? true);
		// The dialog is there before its fields are.
		for (const { name } of fields) await form.field(name).waitFor();
		expect(await form.required()).toEqual(fields.map(({ displayName }) => displayName));
	}
});

describe('a workflow', () => {
	it('is built by hand from a trigger, a filter and Edit Fields, and tried', async () => {
		const client = stage.addClient({ branches: ['by-hand'] });
		const credential = await stage.saveCredential(client);
		const messages = ['Is the first one sold?', 'Is the second one sold?'];
		for (const message of messages) {
			stage.sandbox.addLead('applicant', { message }, { branchId: 'by-hand' });
		}
		stage.sandbox.addLead('appraisal', {}, { branchId: 'by-hand' });
		const editor = await Editor.open(browser, stage.n8n);

		let panel = await editor.addFirstStep();
		await panel.search('lead', [NODE]);
		await panel.open(NODE);
		const trigger = await panel.choose('On new applicant lead');
		await trigger.addChoice('leadTypes', 'Appraisal Lead');
		await trigger.chooseCredential(credential.name);
		await trigger.executeStep();
		await trigger.waitForCount('3 items');
		await trigger.close();

		panel = await editor.addNextStep();
		await panel.search('filter', ['Filter']);
		const filter = await panel.choose('Filter');
		const condition = filter.parameter('filter-condition-left');
		/** What the editor says of the condition for the first item. */
		const verdict = (icon: string) =>
			filter.parameter('filter-condition').locator(`[data-icon="${icon}"]`);
		await filter.drag('leadType', condition.getByTestId('parameter-input-field'));
		await verdict('circle-x').waitFor();
		const saved = editor.saved('"rightValue":"applicant"');
		await filter.parameter('filter-condition-right').locator('input').fill('applicant');
		await verdict('circle-check').waitFor();
		await saved;
		await filter.executeStep();
		await filter.waitForCount('Kept (2 items)');
		await filter.close();

		panel = await editor.addNextStep();
		await panel.search('edit fields', ['Edit Fields (Set)']);
		const set = await panel.choose('Edit Fields (Set)');
		await set.drag('message', set.parameter('assignment-collection-drop-area'));
		await set.parameter('assignment').waitFor();
		await set.close();

		await editor.execute([TRIGGER, 'Filter', 'Edit Fields']);

		await screenshot(editor.page, 'workflow after a run');
		const output = await editor.openNode('Edit Fields');
		await output.waitForCount('2 items');
		await screenshot(editor.page, 'items of the last node');

		expect((await output.rows()).flat().sort()).toEqual(messages);
		expect(stage.tokensIssued(client)).toBe(1);

		await editor.close();
	});
});

describe('before the first run', () => {
	/** The editor asks for none of a trigger. */
	const actions = new Map(
		SETTINGS.filter(({ parameters: { operation } }) => operation !== undefined).map((setting) => [
			actionOf(setting),
			setting.type,
		]),
	);

	it.each([...actions])('n8n has the fields of “%s” of %s', async (action, type) => {
		const path = `${PACKAGE_NAME}.${type}/1.0.0/${action.replace(' ', '/')}.json`;

		const answer = await fetch(`${stage.n8n.url}/schemas/${path}`);

		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({ type: 'object', properties: expect.anything() });
	});

	it('the next node offers the fields of what will come out', async () => {
		const { id } = await stage.save(
			chain(
				'Fields',
				manualTrigger(),
				{
					name: NODE,
					type: `${PACKAGE_NAME}.agentLeads`,
					parameters: { resource: 'applicantLead', operation: 'getAll' },
				},
				{ name: 'Edit Fields', type: 'n8n-nodes-base.set', typeVersion: 3.4 },
			),
		);
		const editor = await Editor.open(browser, stage.n8n, id);

		const view = await editor.openNode('Edit Fields');

		for (const field of ['name', 'email', 'phoneNumber', 'message', 'propertyAddress']) {
			await view.waitForPreviewedField(field);
		}
		await screenshot(editor.page, 'fields before the first run');
		await editor.close();
	});
});

describe('an error', () => {
	it('shows what a field holds in an error as text, not as markup', async () => {
		const credential = await stage.saveCredential(stage.addClient());
		const limit = '<img src=x><b>ten</b> & more';
		const { id } = await stage.save(
			chain('Markup', manualTrigger(), {
				name: NODE,
				type: `${PACKAGE_NAME}.agentLeads`,
				parameters: {
					...{ resource: 'applicantLead', operation: 'getAll', returnAll: false },
					limit: `={{ ${JSON.stringify(limit)} }}`,
				},
				credentials: { agentLeadsApi: credential },
			}),
		);
		const editor = await Editor.open(browser, stage.n8n, id);
		const view = await editor.openNode(NODE);

		await view.executeInVain();

		const panel = editor.page.getByTestId('ndv').getByTestId('output-panel');
		await panel.getByText(limit).first().waitFor();
		expect(await panel.locator('img[src="x"]').count()).toBe(0);
		await screenshot(editor.page, 'an error with markup');
		await editor.close();
	});
});
