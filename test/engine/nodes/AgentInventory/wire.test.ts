import { describe, expect, it } from '@jest/globals';
import { LoadOptionsContext } from 'n8n-core';
import type { IDataObject, INode } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { AgentInventoryApi } from '../../../../credentials/AgentInventoryApi.credentials';
import { AgentInventory } from '../../../../nodes/AgentInventory/AgentInventory.node';
import {
	filter,
	findByAddress,
	getItem,
	getItems,
	listBranches,
	listNegotiators,
	search,
} from '../../../lab/reference/inventory';
import { CredentialsTable } from '../../../lab/engine/credentials';
import { additionalDataOf, nodeTypesOf } from '../../../lab/engine/engine';
import { AGENCY_REF, withoutTokens } from '../../../lab/engine/wire';
import { useWire } from '../../../lab/engine/useBench';

const wire = useWire();

const door = () => wire.door('inventory');

describe('Agent Inventory sends for a search', () => {
	const options = { wholeRecords: false };
	const parameters = { operation: 'search', limit: 20, options };

	it('by address its filters', async () => {
		const sent = await wire.ofNode('inventory', {
			...parameters,
			query: '12 Sample Row, AB1 2CD',
			filters: { recordType: 'Sale', category: 'Commercial', archived: false },
			limit: 300,
		});

		const [first] = await wire.ofReference(
			findByAddress(door(), {
				address: '12 Sample Row, AB1 2CD',
				recordType: 'Sale',
				category: 'Commercial',
				archived: false,
			}),
		);

		expect(sent.map(withoutSize)).toEqual([first]);
	});

	it('by text its filters', async () => {
		const sent = await wire.ofNode('inventory', {
			...parameters,
			searchBy: 'text',
			query: 'Fenwick & Söhne',
			filters: {
				// The text search takes no category: the node leaves it out.
				...{ recordType: 'Rent', archived: true, branchIds: '11,12', category: 'Commercial' },
				...{ createdFrom: '2026-01-05T00:00:00', createdTo: '2026-02-05T23:59:59' },
				...{ modifiedFrom: '2026-03-01T08:00:00Z', modifiedTo: '2026-03-29T09:00:00+01:00' },
			},
		});
		const right = search(door(), {
			query: 'Fenwick & Söhne',
			recordType: 'Rent',
			archived: true,
			branchIds: ['11', '12'],
			'created-from': new Date('2026-01-05T00:00:00Z'),
			'created-to': new Date('2026-02-05T23:59:59Z'),
			'modified-from': new Date('2026-03-01T08:00:00Z'),
			'modified-to': new Date('2026-03-29T08:00:00Z'),
			'max-results': 20,
		});

		expect(sent).toEqual(await wire.ofReference(right));
	});

	it('by text that has several pages the tokens in the spelling of that list', async () => {
		wire.pages = 3;
		const page = { ...parameters, searchBy: 'text', query: 'row', returnAll: true };
		const sent = await wire.ofNode('inventory', page);
		const question = { query: 'row', 'max-results': 250 };
		const right = [undefined, '2', '3'].map((token) =>
			search(door(), { ...question, 'next-token': token }),
		);

		expect(sent).toEqual(await wire.ofReference(...right));
	});

	it('by address that has several pages the tokens in the spelling of that list', async () => {
		wire.pages = 2;
		const sent = await wire.ofNode('inventory', { ...parameters, query: 'row', returnAll: true });
		const right = [undefined, '2'].map((nextToken) =>
			findByAddress(door(), { address: 'row', nextToken }),
		);

		expect(sent.map(withoutSize)).toEqual(await wire.ofReference(...right));
	});
});

describe('Agent Inventory sends for Get', () => {
	it.each(['5001', 'a b+ü&c', '7%2F8'])('one property with its ID %j in the path', async (id) => {
		const [sent, ...more] = await wire.ofNode('inventory', { operation: 'get', propertyId: id });

		expect(more).toEqual([]);
		expect([sent]).toEqual(await wire.ofReference(getItem(door(), id)));
	});

	it('several properties together, their IDs one by one', async () => {
		const input = ['5001', '5002', '5001', '5003'].map((id) => ({ json: { id } }));
		const sent = await wire.ofNode(
			'inventory',
			{ operation: 'get', propertyId: '={{ $json.id }}' },
			{ input },
		);

		expect(sent).toEqual(await wire.ofReference(getItems(door(), ['5001', '5002', '5003'])));
	});

	it('another agency its AgencyRef', async () => {
		const agencyRef = '0f0e0d0c-4a59-4e87-9c60-998877665544';
		const sent = await wire.ofNode('inventory', {
			...{ operation: 'get', propertyId: '5001' },
			options: { agencyRef },
		});

		expect(sent).toEqual(await wire.ofReference(getItem({ ...door(), agencyRef }, '5001')));
		expect(agencyRef).not.toBe(AGENCY_REF);
	});
});

describe('Agent Inventory sends for Find for Lead', () => {
	it('the postcode in its usual form, and what may be its ID', async () => {
		const sent = await wire.ofNode(
			'inventory',
			{ operation: 'findForLead' },
			{ input: [{ json: { listingReference: '5001', propertyAddress: '1 Low Row, ab12cd' } }] },
		);
		const right = [
			search(door(), { query: 'AB1 2CD', 'max-results': 250 }),
			getItems(door(), ['5001']),
		];

		expect(sent).toEqual(await wire.ofReference(...right));
	});
});

describe('Agent Inventory sends for Get Many', () => {
	const parameters = { operation: 'getAll', limit: 7 };

	it('nothing but the size of the page, if there are no filters', async () => {
		const sent = await wire.ofNode('inventory', parameters);

		expect(sent).toEqual(await wire.ofReference(filter(door(), { 'max-results': 7 })));
	});

	it('every filter but the days of the instruction', async () => {
		const sent = await wire.ofNode(
			'inventory',
			{
				...parameters,
				filters: {
					...{ recordType: 'Rent', category: 'Residential', archived: false },
					...{ status: 'LetAgreed', branchIds: ['11', '12'], ownerId: '321' },
					...{ managementType: 'FullyManaged', maintenanceType: 'MaintainedByLandlord' },
					...{ createdFrom: '2026-03-01T00:00:00', createdTo: '2026-03-31T00:00:00' },
					...{ modifiedFrom: '2026-03-02T00:00:00', modifiedTo: '2026-04-01T00:00:00' },
				},
			},
			{ timezone: 'Europe/London' },
		);
		const right = filter(door(), {
			recordType: 'Rent',
			categoryType: 'Residential',
			archived: false,
			'inventory-status': 'LetAgreed',
			branchIds: ['11', '12'],
			'owner-id': 321,
			managementType: 'FullyManaged',
			'maintenance-type': 'MaintainedByLandlord',
			'created-from': new Date('2026-03-01T00:00:00Z'),
			'created-to': new Date('2026-03-30T23:00:00Z'),
			'modified-from': new Date('2026-03-02T00:00:00Z'),
			'modified-to': new Date('2026-03-31T23:00:00Z'),
			'max-results': 7,
		});

		expect(sent).toEqual(await wire.ofReference(right));
	});

	it('all pages the tokens in the spelling of that list', async () => {
		wire.pages = 2;
		const sent = await wire.ofNode('inventory', { ...parameters, returnAll: true });
		const right = [undefined, '2'].map((token) =>
			filter(door(), { 'max-results': 250, 'next-token': token }),
		);

		expect(sent).toEqual(await wire.ofReference(...right));
	});
});

describe('Agent Inventory sends for the branches and negotiators', () => {
	const parameters = { operation: 'getAll', limit: 7 };

	it('of branches nothing but the size of the page', async () => {
		const sent = await wire.ofNode('inventory', { ...parameters, resource: 'branch' });

		expect(sent).toEqual(await wire.ofReference(listBranches(door(), { 'max-results': 7 })));
	});

	it('of negotiators nothing but the size of the page', async () => {
		const sent = await wire.ofNode('inventory', { ...parameters, resource: 'negotiator' });

		expect(sent).toEqual(await wire.ofReference(listNegotiators(door(), { 'max-results': 7 })));
	});
});

describe('Agent Inventory sends for a list to choose from', () => {
	const page = { 'max-results': 50 };

	it.each([
		['what was typed', '12 Sample Row', () => search(door(), { query: '12 Sample Row', ...page })],
		['no words, if nothing was typed', undefined, () => filter(door(), page)],
	])('of properties %s', async (_, typed, right) => {
		const node = new AgentInventory();
		await node.methods.listSearch.searchProperties.call(loadOptionsOf(node), typed);
		const sent = withoutTokens(wire.take());

		expect(sent).toEqual(await wire.ofReference(right()));
	});

	it('of branches nothing but the size of the page', async () => {
		const node = new AgentInventory();
		await node.methods.loadOptions.getBranches.call(loadOptionsOf(node));
		const sent = withoutTokens(wire.take());

		expect(sent).toEqual(await wire.ofReference(listBranches(door(), { 'max-results': 250 })));
	});
});

/** The size of a page is the client's choice; that there is one on the first page is looked at elsewhere. */
function withoutSize<T extends { query: string[][] }>(recorded: T): T {
	return { ...recorded, query: recorded.query.filter(([name]) => name !== 'maxResults') };
}

/** What n8n gives a node whose list is opened in the editor. */
function loadOptionsOf(type: AgentInventory): LoadOptionsContext {
	const credential: IDataObject = { id: 'credential', name: '' };
	const node = {
		...{
			id: '1',
			name: 'Node',
			type: 'node',
			typeVersion: 1,
			position: [0, 0] as [number, number],
		},
		parameters: { resource: 'property', operation: 'get' },
		credentials: { agentInventoryApi: credential as { id: string; name: string } },
	} satisfies INode;
	const workflow = new Workflow({
		...{ id: 'workflow', nodes: [node], connections: {}, active: false },
		nodeTypes: nodeTypesOf(type),
	});
	const row = wire.credential('inventory');
	const credentials = new CredentialsTable([new AgentInventoryApi()], { credential: row });
	return new LoadOptionsContext(workflow, node, additionalDataOf({ credentials }, workflow), '');
}
