import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { resolveOutputSchemaPath } from 'n8n-core';
import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { AgentInventory } from '../../../nodes/AgentInventory/AgentInventory.node';
import { AgentLeads } from '../../../nodes/AgentLeads/AgentLeads.node';
import { AgentLeadsPushTrigger } from '../../../nodes/AgentLeadsPushTrigger/AgentLeadsPushTrigger.node';
import { AgentLeadsTrigger } from '../../../nodes/AgentLeadsTrigger/AgentLeadsTrigger.node';
import { AgentProducts } from '../../../nodes/AgentProducts/AgentProducts.node';
import { textOf } from '../../../service/basics/values';
import type { NodeRun } from '../../lab/engine/engine';
import { InventoryBench } from '../../lab/engine/inventory';
import { HOUR, LeadsBench } from '../../lab/engine/leads';
import { PollHost } from '../../lab/engine/poll';
import { ProductsBench } from '../../lab/engine/products';
import { PushHost } from '../../lab/engine/push';
import { root } from '../../lab/paths';

/** Nothing here is about how long the nodes wait. */
jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => await new Promise((resolve) => setImmediate(resolve)),
}));

/** What comes out by default: there is one schema for an operation, and none for what is not simplified. */
interface Case {
	/** As `actionsOf` spells it; empty for the trigger. */
	action: string;
	/** Makes the node put out all that it can. */
	run: () => Promise<IDataObject[]>;
}

const NODES: INodeTypeDescription[] = [
	new AgentInventory(),
	new AgentLeads(),
	new AgentLeadsPushTrigger(),
	new AgentLeadsTrigger(),
	new AgentProducts(),
].map(({ description }) => description);

let leads: LeadsBench;
let inventory: InventoryBench;
let products: ProductsBench;

beforeAll(async () => {
	leads = await LeadsBench.start();
	inventory = await InventoryBench.start();
	products = await ProductsBench.start();
});

afterEach(() => {
	jest.useRealTimers();
});

afterAll(async () => {
	await leads.stop();
	await inventory.stop();
	await products.stop();
});

/** Leads with all that they can have, with hardly anything, and with nothing at all. */
function submitLeads(kind: 'applicant' | 'appraisal'): IDataObject[] {
	const before = { receivedAt: leads.sandbox.now() - HOUR, isOdd: true };
	const add = (lead: Record<string, unknown>) => ({ ...leads.sandbox.addLead(kind, lead, before) });
	const names = Object.keys(add({})).filter((name) => name !== 'id');
	return [
		add({}),
		add({ contact: {}, listingDetails: {}, propertyDetails: {}, createdAt: '0001-01-01T00:00Z' }),
		add(Object.fromEntries(names.map((name) => [name, null]))),
	];
}

async function getLeads(resource: 'applicantLead' | 'appraisalLead'): Promise<IDataObject[]> {
	submitLeads(resource === 'applicantLead' ? 'applicant' : 'appraisal');
	return itemsOf(await leads.run({ resource, returnAll: true }));
}

async function pollLeads(): Promise<IDataObject[]> {
	submitLeads('applicant');
	submitLeads('appraisal');
	return await new PollHost(leads, { startFrom: 'last30Days' }).activate();
}

async function pushLeads(): Promise<IDataObject[]> {
	const host = await PushHost.start();
	host.mode = 'manual';
	for (const kind of ['applicant', 'appraisal'] as const) {
		for (const lead of submitLeads(kind)) await host.push({ [kind]: lead });
	}
	await host.stop();
	return host.executions.started;
}

async function properties(parameters: INodeParameters): Promise<IDataObject[]> {
	return itemsOf(await inventory.run({ returnAll: true, ...parameters }));
}

const SIMPLIFIED = { simplify: true };

async function search(): Promise<IDataObject[]> {
	const [known] = await properties({ operation: 'getAll', limit: 1 });
	const { town } = known?.address as IDataObject;
	const by = async (searchBy: string) =>
		await properties({ operation: 'search', searchBy, query: textOf(town), ...SIMPLIFIED });
	return [...(await by('address')), ...(await by('text'))];
}

async function get(): Promise<IDataObject[]> {
	const rows = await properties({ operation: 'getAll' });
	const ids = rows.slice(0, 20).map(({ inventoryId }) => ({ json: { id: inventoryId } }));
	const propertyId = '={{ $json.id }}';
	const parameters = { operation: 'get', propertyId, ...SIMPLIFIED };
	return itemsOf(await inventory.run(parameters, { input: ids }));
}

/** A lead that has a property, and one that has none. */
async function findForLead(): Promise<IDataObject[]> {
	const [row] = await properties({ operation: 'getAll', limit: 1 });
	const leads = [textOf(row?.inventoryId), null].map((listingReference) => ({
		json: { uprn: null, listingReference, propertyAddress: null, enquiryType: null },
	}));
	return itemsOf(
		await inventory.run({ operation: 'findForLead', ...SIMPLIFIED }, { input: leads }),
	);
}

let listings = 1_000;

/** An order, and another one that finds it made. */
async function activate(resource: string): Promise<IDataObject[]> {
	products.sandbox.products.configure({ settleAfterGets: 0 });
	const highlights = { highlight: [{ id: 1, description: 'Garden' }, { id: 2 }] };
	const order = {
		resource,
		listingId: ++listings,
		highlights,
		customDetails: '{ "order": "2041" }',
	};
	return [...itemsOf(await products.run(order)), ...itemsOf(await products.run(order))];
}

async function listActivations(resource: string): Promise<IDataObject[]> {
	await activate(resource);
	await activate(resource);
	return itemsOf(await products.run({ resource, operation: 'getAll', returnAll: true }));
}

async function getActivations(resource: string): Promise<IDataObject[]> {
	const input = (await listActivations(resource)).map(({ id }) => ({ json: { id } }));
	const parameters = { resource, operation: 'get', activationId: '={{ $json.id }}' };
	return itemsOf(await products.run(parameters, { input }));
}

async function updateHighlights(): Promise<IDataObject[]> {
	const [active] = await activate('premiumListing');
	const highlights = { highlight: [{ id: 3, description: 'Two baths' }] };
	const activationId = textOf(active?.id);
	return itemsOf(await products.run({ operation: 'updateHighlights', activationId, highlights }));
}

function itemsOf({ items, error }: NodeRun): IDataObject[] {
	if (error) throw error;
	return items.map(({ json }) => json);
}

const CASES: Record<string, Case[]> = {
	agentLeads: [
		{ action: 'applicantLead getAll', run: async () => await getLeads('applicantLead') },
		{ action: 'appraisalLead getAll', run: async () => await getLeads('appraisalLead') },
	],
	agentLeadsPushTrigger: [{ action: '', run: pushLeads }],
	agentLeadsTrigger: [{ action: '', run: pollLeads }],
	agentInventory: [
		{ action: 'property findForLead', run: findForLead },
		{ action: 'property get', run: get },
		{
			action: 'property getAll',
			run: async () => await properties({ operation: 'getAll', ...SIMPLIFIED }),
		},
		{ action: 'property search', run: search },
		...['branch', 'negotiator'].map((resource) => ({
			action: `${resource} getAll`,
			run: async () => await properties({ resource, operation: 'getAll' }),
		})),
	],
	agentProducts: [
		...['premiumListing', 'weeklyFeaturedProperty'].flatMap((resource): Case[] => [
			{ action: `${resource} activate`, run: async () => await activate(resource) },
			{ action: `${resource} get`, run: async () => await getActivations(resource) },
			{ action: `${resource} getAll`, run: async () => await listActivations(resource) },
		]),
		{ action: 'premiumListing updateHighlights', run: updateHighlights },
	],
};

describe.each(NODES)('of $name the schema', (description) => {
	it.each(CASES[description.name] ?? [])(
		'“$action” knows what comes out, and nothing else',
		async ({ action, run }) => {
			const schema = readSchema(description, action);
			const isAsSaid = new Ajv({ allowUnionTypes: true, strictTypes: true }).compile(
				closed(schema),
			);

			const items = await run();

			expect(items).not.toEqual([]);
			for (const item of items) {
				isAsSaid(item);
				expect({ item, problems: isAsSaid.errors }).toEqual({ item, problems: null });
			}
		},
	);

	it.each(CASES[description.name] ?? [])(
		'“$action” leaves room for fields that the service adds',
		({ action }) => {
			expect(JSON.stringify(readSchema(description, action))).not.toMatch(
				/additionalProperties|required|enum/,
			);
		},
	);
});

/** As much of JSON Schema as n8n's editor reads. */
interface Schema {
	type: string | string[];
	properties?: Record<string, Schema>;
	items?: Schema;
	/** n8n's own mark. */
	version?: number;
}

/** From where n8n takes it: the editor's preview by resource and operation, else the one of the version. */
function readSchema({ name, version }: INodeTypeDescription, action: string): Schema {
	const [resource, operation] = action.split(' ').filter(Boolean);
	const path = resolveOutputSchemaPath({
		nodeDir: join(root, 'nodes', name.charAt(0).toUpperCase() + name.slice(1)),
		version: Number(version),
		resource,
		operation,
		versionFallback: resource === undefined,
	});
	if (path === undefined || !existsSync(path)) throw new Error(`${name} has none for “${action}”`);
	const { version: ofSchema, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as Schema;
	expect(ofSchema).toBe(1);
	return schema;
}

/** The schema, with no room for what it does not name. An object without named fields holds the user's own. */
function closed(schema: Schema): Schema {
	const { properties: fields, items } = schema;
	return {
		...schema,
		...(items && { items: closed(items) }),
		...(fields && {
			properties: Object.fromEntries(
				Object.entries(fields).map(([name, field]) => [name, closed(field)]),
			),
			additionalProperties: false,
		}),
	};
}
