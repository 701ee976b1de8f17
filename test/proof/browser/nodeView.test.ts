import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INodeTypeDescription } from 'n8n-workflow';

import { chain, PACKAGE_NAME, until } from '../../lab/n8n';
import { type SavedCredential } from '../../lab/n8n/stage';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';
import { Editor } from '../../lab/proof/editor';
import { namesOf, readManifest } from '../../lab/proof/manifest';
import {
	actionOf,
	actionsOf,
	descriptionsOf,
	SETTINGS,
	withAllAdded,
	type Setting,
} from '../../lab/proof/nodeSettings';
import { screenshot } from '../../lab/proof/screen';

jest.setTimeout(120_000);

const OPEN_DEADLINE_MS = 60_000;
const THEME_DEADLINE_MS = 10_000;

const NODES = namesOf(readManifest().n8n.nodes);

/**
 * One n8n for all: how it keeps the progress of triggers makes no difference here, since nothing is published. A manual
 * test of a trigger asks once and keeps nothing.
 */
const browser = useBrowser();
const stage = useStage();

describe('the view of a node', () => {
	let types: Map<string, INodeTypeDescription>;
	let editor: Editor;
	let credentials: Record<string, SavedCredential>;

	beforeAll(async () => {
		const all = await stage.n8n.nodeTypes();
		types = new Map(NODES.map((name) => [name, typeOf(all, name)]));
		credentials = {
			agentLeadsApi: await stage.saveCredential(stage.addClient()),
			agentLeadsPushApi: await stage.n8n.createCredential('agentLeadsPushApi', 'Push', {
				apiKey: 'an invented key of an agency',
			}),
			agentInventoryApi: await stage.saveCredential(stage.addInventoryClient()),
			agentProductsApi: await stage.saveCredential(stage.addProductsClient()),
		};
		const nodes = SETTINGS.map(({ type: name, parameters }, index) => {
			const type = description(name);
			return {
				name: `${index}`,
				type: type.name,
				typeVersion: latestOf(type),
				position: gridPosition(index),
				parameters: withAllAdded(type, parameters),
				credentials: credentialsFor(type),
			};
		});
		const { id } = await stage.save({ ...chain('Settings', ...nodes), connections: {} });
		editor = await Editor.open(browser, stage.n8n, id);
	}, OPEN_DEADLINE_MS);

	afterAll(async () => {
		await editor?.close();
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

	it('is looked at for each node, resource and operation', () => {
		for (const name of NODES) {
			const lookedAt = SETTINGS.filter(({ type }) => type === name).map(actionOf);
			expect([...new Set(lookedAt)].sort()).toEqual(actionsOf(description(name)).sort());
		}
	});

	it('of each node shows its icon, another one in the dark and every text too, and so does the canvas', async () => {
		const icons = async (): Promise<string[]> => {
			const sources: string[] = [];
			for (const name of NODES) {
				const onCanvas = await editor.icon(firstOf(name));
				expect(onCanvas.width).toBeGreaterThan(0);
				sources.push(onCanvas.src);
				const view = await editor.openNode(firstOf(name));
				expect(await view.icon()).toEqual(onCanvas);
				await screenshot(editor.page, `${name} ${sources.length} ${onCanvas.src.split('/').pop()}`);
				await view.close();
			}
			return sources;
		};
		await screenshot(editor.page, 'canvas light');
		const light = await icons();

		await editor.prefer('dark');
		await until('the dark theme', THEME_DEADLINE_MS, async () => {
			const { src } = await editor.icon('0');
			return light.includes(src) ? undefined : true;
		});

		await screenshot(editor.page, 'canvas dark');

		for (const src of await icons()) expect(light).not.toContain(src);
		for (const [index, setting] of SETTINGS.entries()) {
			const view = await editor.openNode(`${index}`);
			await screenshot(editor.page, `dark ${setting.type} ${index} ${actionOf(setting)}`);
			expect(await view.cutOff()).toEqual([]);
			await view.close();
		}

		await editor.prefer('light');
	});

	it('and the canvas show every name and subtitle in full', async () => {
		expect(await editor.cutOff()).toEqual([]);
	});

	it.each(NODES)('of %s shows every text in full and marks what is missing', async (name) => {
		const descriptions = descriptionsOf(description(name));
		/** The lists that were read already; each resource has its own. */
		const lists = new Map<unknown, Set<string>>();

		const read = ({ parameters: { resource } }: Setting): Set<string> => {
			const known = lists.get(resource) ?? new Set();
			lists.set(resource, known);
			return known;
		};

		for (const [index, setting] of SETTINGS.entries()) {
			if (setting.type !== name) continue;
			const view = await editor.openNode(`${index}`);
			await screenshot(editor.page, `${name} ${index} ${actionOf(setting)}`);

			const labels = await view.labels();
			expect(labels).not.toContain('');
			expect(await view.cutOff()).toEqual([]);
			expect(await view.marked()).toEqual(setting.missing);
			for (const list of await view.optionLists(read(setting))) {
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

	it('would be found wanting if it were too narrow', async () => {
		const view = await editor.openNode('0');
		await editor.page.addStyleTag({ content: '[data-test-id="node-parameters"] { width: 150px }' });

		expect(await view.cutOff()).toEqual(expect.arrayContaining(['Period', 'Applicant Lead']));
	});
});

describe('the views of the triggers of leads, which stand in one workflow', () => {
	const POLLING = 'Agent Leads Trigger';
	const PUSHED = 'Agent Leads Push Trigger';

	/** What both panels say, while nothing has run. */
	const hintsIn = async (runs: string): Promise<string[][]> => {
		const nodes = [
			{
				name: PUSHED,
				type: `${PACKAGE_NAME}.agentLeadsPushTrigger`,
				typeVersion: 1.1,
				position: gridPosition(0),
			},
			{
				name: POLLING,
				type: `${PACKAGE_NAME}.agentLeadsTrigger`,
				position: gridPosition(1),
				parameters: { runs },
			},
		];
		const { id } = await stage.save({ ...chain(runs, ...nodes), connections: {} });
		const editor = await Editor.open(browser, stage.n8n, id);
		const hints: string[][] = [];
		for (const name of [PUSHED, POLLING]) {
			const view = await editor.openNode(name);
			hints.push(await view.hints());
			await screenshot(editor.page, `${name} beside the other ${runs}`);
			await view.close();
		}
		await editor.close();
		return hints;
	};

	it('say that a lead has two runs as long as the poll has one for all', async () => {
		const hint = expect.stringContaining('In Agent Leads Trigger, set Runs to One per Lead');

		expect(await hintsIn('onePerPoll')).toEqual([[hint], [hint]]);
		expect(await hintsIn('onePerLead')).toEqual([[], []]);
	});
});

/** The version that a node has when a person adds it. */
function latestOf({ version }: INodeTypeDescription): number {
	return Math.max(...[version].flat());
}

/** The first setting of a node, by its name on the canvas. */
function firstOf(node: string): string {
	return `${SETTINGS.findIndex(({ type }) => type === node)}`;
}

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
