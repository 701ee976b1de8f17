import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INodeTypeDescription } from 'n8n-workflow';

import { chain, PACKAGE_NAME, until, type StoredWorkflow } from '../e2e/harness';
import { Browser } from '../e2e/harness/browser';
import { CredentialForm } from '../e2e/harness/credentialForm';
import {
	AGENCY,
	INVENTORY,
	NODE,
	PRODUCTS,
	Stage,
	START_DEADLINE_MS,
	STOP_DEADLINE_MS,
	TRIGGER,
	type SavedCredential,
} from '../e2e/stage';
import { cutOff, Editor, prepare, screenshot } from './editor';
import { namesOf, readManifest } from './manifest';
import { actionOf, actionsOf, descriptionsOf, SETTINGS, withAllAdded } from './nodeSettings';

jest.setTimeout(120_000);

const THEME_DEADLINE_MS = 10_000;

const manifest = readManifest();
const NODES = namesOf(manifest.n8n.nodes);

let stage: Stage;
let browser: Browser;
let editor: Editor | undefined;

/**
 * One n8n for all: how it keeps the progress of triggers makes no difference here, since nothing is published. A manual
 * test of a trigger asks once and keeps nothing.
 */
beforeAll(async () => {
	stage = await Stage.start();
	browser = await Browser.start();
}, START_DEADLINE_MS);

afterEach(async () => {
	if (editor) await screenshot(editor.page, `end of ${expect.getState().currentTestName}`);
	await editor?.close();
	editor = undefined;
});

afterAll(async () => {
	await browser?.stop();
	await stage?.stop();
}, STOP_DEADLINE_MS);

describe('the node panel', () => {
	/** The editor shows a trigger and a node of the same name as one. */
	test.each([
		['lead', [NODE]],
		['property', [NODE, INVENTORY, PRODUCTS]],
		['estate agent', [NODE, INVENTORY, PRODUCTS]],
	])('offers what there is for “%s” among the first', async (words, expected) => {
		editor = await Editor.open(browser, stage.n8n);
		const panel = await editor.addFirstStep();

		const found = await panel.search(words, expected);

		expect(found.slice(0, expected.length + 1)).toEqual(expect.arrayContaining(expected));
		expect(await panel.cutOff()).toEqual([]);
	});

	test('lists what each of them does', async () => {
		editor = await Editor.open(browser, stage.n8n);
		const panel = await editor.addFirstStep();
		await panel.search('estate agent', [NODE, INVENTORY, PRODUCTS]);

		expect(await panel.open(NODE)).toEqual(['On new Agent Leads event']);
		expect(await panel.cutOff()).toEqual([]);
		await panel.back();
		await panel.search('estate agent', [INVENTORY]);
		expect(await panel.open(INVENTORY)).toEqual([
			'Get a property',
			'Get many properties',
			'Search properties',
		]);
		await panel.back();
		await panel.search('estate agent', [PRODUCTS]);
		expect(await panel.open(PRODUCTS)).toEqual([
			'Activate a premium listing',
			'Get a premium listing',
			'Get many premium listings',
			'Update highlights of a premium listing',
			'Activate a weekly featured property',
			'Get a weekly featured property',
			'Get many weekly featured properties',
		]);
		expect(await panel.cutOff()).toEqual([]);
	});
});

describe('the credentials', () => {
	const FORM = '[data-test-id="credential-edit-dialog"]';

	interface Case {
		displayName: string;
		type: string;
		/** What is typed in, by the name of the field. */
		fields: () => Record<string, string>;
	}

	const pair = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => ({
		clientId,
		clientSecret,
	});

	const cases: Case[] = [
		{
			displayName: 'Agent Leads API',
			type: 'agentLeadsApi',
			fields: () => {
				const { authUrl, leadsUrl } = stage.sandbox;
				return { ...pair(stage.addClient()), authUrl, leadsUrl };
			},
		},
		{
			displayName: 'Agent Inventory API',
			type: 'agentInventoryApi',
			fields: () => {
				const { tokenUrl, inventoryUrl } = stage.sandbox;
				return { ...pair(stage.addInventoryClient()), tokenUrl, inventoryUrl, agencyRef: AGENCY };
			},
		},
		{
			displayName: 'Agent Products API',
			type: 'agentProductsApi',
			fields: () => {
				const { authUrl, productsUrl } = stage.sandbox;
				return { ...pair(stage.addProductsClient()), authUrl, productsUrl };
			},
		},
	];

	test('there is a case for each of the package', () => {
		expect(cases.map(({ type }) => type).sort()).toEqual(namesOf(manifest.n8n.credentials).sort());
	});

	test.each(cases)(
		'$displayName is filled in and tested',
		async ({ displayName, type, fields }) => {
			const form = await CredentialForm.open(browser, stage.n8n, displayName);
			await prepare(form.page);
			await screenshot(form.page, `${type} empty`);
			expect(await form.required()).toEqual(await requiredFields(type, 'plain'));
			expect(await cutOff(form.page, FORM)).toEqual([]);
			await form.choose('secretFormat', 'OpenPGP Message');
			await form.field('encryptedSecret').waitFor();
			expect(await form.required()).toEqual(await requiredFields(type, 'pgp'));
			expect(await cutOff(form.page, FORM)).toEqual([]);
			await form.choose('secretFormat', 'Plain Text');

			for (const [name, value] of Object.entries(fields())) await form.type(name, value);

			expect(await form.save()).toContain('Connection tested successfully');
			await screenshot(form.page, `${type} tested`);
			await form.page.close();
		},
	);

	/** The labels of what the credential says it requires where the secret comes in this format. */
	async function requiredFields(type: string, secretFormat: string): Promise<string[]> {
		const credential = (await stage.n8n.credentialTypes()).find(({ name }) => name === type);
		return (credential?.properties ?? [])
			.filter(({ required }) => required)
			.filter(({ displayOptions }) => {
				const formats = displayOptions?.show?.secretFormat;
				return formats === undefined || formats.includes(secretFormat);
			})
			.map(({ displayName }) => displayName);
	}
});

describe('a workflow', () => {
	test('is built by hand from a trigger, a filter and Edit Fields, and tried', async () => {
		const client = stage.addClient({ branches: ['by-hand'] });
		const credential = await stage.saveCredential(client);
		const emails = ['ada@example.com', 'bo@example.com'];
		for (const email of emails)
			stage.sandbox.addLead('applicant', { email }, { branchId: 'by-hand' });
		stage.sandbox.addLead('appraisal', {}, { branchId: 'by-hand' });
		editor = await Editor.open(browser, stage.n8n);

		let panel = await editor.addFirstStep();
		await panel.search('lead', [NODE]);
		await panel.open(NODE);
		const trigger = await panel.choose('On new Agent Leads event');
		await trigger.chooseCredential(credential.name);
		await trigger.executeStep();
		await trigger.waitForCount('3 items');
		await trigger.close();

		panel = await editor.addNextStep();
		await panel.search('filter', ['Filter']);
		const filter = await panel.choose('Filter');
		const condition = filter.parameter('filter-condition-left');
		await filter.drag('leadType', condition.getByTestId('parameter-input-field'));
		await filter.parameter('filter-condition-right').locator('input').fill('applicant');
		await filter.executeStep();
		await filter.waitForCount('Kept (2 items)');
		await filter.close();

		panel = await editor.addNextStep();
		await panel.search('edit fields', ['Edit Fields (Set)']);
		const set = await panel.choose('Edit Fields (Set)');
		await set.drag('email', set.parameter('assignment-collection-drop-area'));
		await set.parameter('assignment').waitFor();
		await set.close();

		await editor.execute([TRIGGER, 'Filter', 'Edit Fields']);

		await screenshot(editor.page, 'workflow after a run');
		expect(await editor.cutOff()).toEqual([]);
		const output = await editor.openNode('Edit Fields');
		await output.waitForCount('2 items');
		expect((await output.rows()).flat().sort()).toEqual(emails);
		expect(stage.tokensIssued(client)).toBe(1);
	});
});

describe('the icons', () => {
	test('are shown on the canvas and in the view of each node, another one in the dark', async () => {
		const workflow = await stage.save(
			chain('Icons', ...NODES.map((name) => ({ name, type: `${PACKAGE_NAME}.${name}` }))),
		);
		editor = await Editor.open(browser, stage.n8n, workflow.id);
		const { page } = editor;
		await screenshot(page, 'canvas light');
		const light = await icons(editor);

		await editor.prefer('dark');
		const [first = ''] = NODES;
		await until('the dark theme', THEME_DEADLINE_MS, async () =>
			(await editor?.icon(first))?.src === light.get(first) ? undefined : true,
		);
		const dark = await icons(editor);
		await screenshot(page, 'canvas dark');

		for (const name of NODES) expect([name, dark.get(name)]).not.toEqual([name, light.get(name)]);
	});

	/** Of each node; those that have loaded, and only where canvas and view show the same. */
	async function icons(of: Editor): Promise<Map<string, string>> {
		const found = new Map<string, string>();
		for (const name of NODES) {
			const onCanvas = await of.icon(name);
			const view = await of.openNode(name);
			const inView = await view.icon();
			await view.close();
			expect(onCanvas.width).toBeGreaterThan(0);
			expect(inView).toEqual(onCanvas);
			found.set(name, onCanvas.src);
		}
		return found;
	}
});

describe('the view of a node', () => {
	let types: Map<string, INodeTypeDescription>;
	let workflow: StoredWorkflow;
	let credentials: Record<string, SavedCredential>;

	beforeAll(async () => {
		const all = await stage.n8n.nodeTypes();
		types = new Map(NODES.map((name) => [name, typeOf(all, name)]));
		credentials = {
			agentLeadsApi: await stage.saveCredential(stage.addClient()),
			agentInventoryApi: await stage.saveInventoryCredential(stage.addInventoryClient()),
			agentProductsApi: await stage.saveProductsCredential(stage.addProductsClient()),
		};
		const nodes = SETTINGS.map(({ type: name, parameters }, index) => {
			const type = description(name);
			return {
				name: `${index}`,
				type: type.name,
				position: gridPosition(index),
				parameters: withAllAdded(type, parameters),
				credentials: credentialsFor(type),
			};
		});
		workflow = await stage.save({ ...chain('Settings', ...nodes), connections: {} });
	});

	function description(name: string): INodeTypeDescription {
		const type = types.get(name);
		if (!type) throw new Error(name);
		return type;
	}

	function credentialsFor({ credentials: wanted = [] }: INodeTypeDescription) {
		return Object.fromEntries(
			wanted.flatMap(({ name }) => {
				const credential = credentials[name];
				return credential ? [[name, credential]] : [];
			}),
		);
	}

	test('is looked at for each node, resource and operation', () => {
		for (const name of NODES) {
			const lookedAt = SETTINGS.filter(({ type }) => type === name).map(actionOf);
			expect([...new Set(lookedAt)].sort()).toEqual(actionsOf(description(name)).sort());
		}
	});

	test('would not hide it if a text were cut off', async () => {
		editor = await Editor.open(browser, stage.n8n, workflow.id);
		const view = await editor.openNode('0');
		await editor.page.addStyleTag({ content: '[data-test-id="node-parameters"] { width: 150px }' });

		expect(await view.cutOff()).toEqual(expect.arrayContaining(['Operation', 'Applicant Lead']));
	});

	test.each(NODES)('of %s shows every text in full and marks what is missing', async (name) => {
		editor = await Editor.open(browser, stage.n8n, workflow.id);
		expect(await editor.cutOff()).toEqual([]);
		const descriptions = descriptionsOf(description(name));
		for (const [index, setting] of SETTINGS.entries()) {
			if (setting.type !== name) continue;
			const view = await editor.openNode(`${index}`);
			await screenshot(editor.page, `${name} ${index} ${actionOf(setting)}`);

			const labels = await view.labels();
			expect(labels).not.toContain('');
			expect(await view.cutOff()).toEqual([]);
			expect(await view.marked()).toEqual(setting.missing);
			for (const list of await view.optionLists()) {
				expect(list).toEqual({ options: expect.anything(), cutOff: [] });
				expect(list.options.flat()).not.toContain('');
			}
			for (const label of labels) {
				const expected = descriptions.get(label);
				if (!expected) continue;
				const { text, cutOff } = await view.description(label);
				expect(expected).toContain(text);
				expect(cutOff).toEqual([]);
				descriptions.delete(label);
			}
			await view.close();
		}
		// What is left has no place on the screen.
		expect([...descriptions.keys()]).toEqual([]);
	});
});

/** So far from each other that nothing overlaps and all is on the screen at once. */
function gridPosition(index: number): [number, number] {
	const columns = 6;
	return [(index % columns) * 260, Math.floor(index / columns) * 220];
}

function typeOf(all: INodeTypeDescription[], name: string): INodeTypeDescription {
	const type = all.find((each) => each.name === `${PACKAGE_NAME}.${name}`);
	if (!type) throw new Error(`n8n has no ${name}`);
	return type;
}
