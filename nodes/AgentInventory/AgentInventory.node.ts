import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { agentInventoryApiTest } from '../common/credentialChecks';
import type { Operations } from '../common/dispatch';
import { dispatch } from '../common/dispatch';
import { forEachItem, forItemsTogether } from '../common/itemErrors';
import { get, getProperties } from './actions/property/get.operation';
import { getAll, getAllProperties } from './actions/property/getAll.operation';
import { search, searchProperties as searchFields } from './actions/property/search.operation';
import { searchProperties } from './listSearch';

const OPERATIONS: Operations = {
	get: async (context) => await forItemsTogether(context, get),
	getAll: async (context) => await forEachItem(context, getAll),
	search: async (context) => await forEachItem(context, search),
};

export class AgentInventory implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Inventory',
		name: 'agentInventory',
		icon: {
			light: 'file:../../icons/agentInventory.svg',
			dark: 'file:../../icons/agentInventory.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ { search: "Search by " + $parameter["searchBy"], get: "Get by ID", getAll: "Get many" + (Object.keys($parameter["filters"] ?? {}).length ? ", filters: " + Object.keys($parameter["filters"]).length : "") }[$parameter["operation"]] }}',
		description: 'Look up the properties of an estate agency',
		defaults: { name: 'Agent Inventory' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'agentInventoryApi', required: true, testedBy: 'agentInventoryApiTest' }],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				default: 'property',
				description: 'What to look up',
				options: [
					{
						name: 'Property',
						value: 'property',
						description: 'A property that the agency sells or lets, has sold or let, or values',
					},
				],
			},
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				default: 'search',
				description: 'How to look it up: by words, by filters or by ID',
				displayOptions: { show: { resource: ['property'] } },
				options: [
					{
						name: 'Get',
						value: 'get',
						description:
							'Get the whole record of a property whose ID is known: price, rooms, status, owner and more',
						action: 'Get property',
					},
					{
						name: 'Get Many',
						value: 'getAll',
						description:
							'Get the properties that pass filters such as status, branch, owner or dates, without search words',
						action: 'Get many properties',
					},
					{
						name: 'Search',
						value: 'search',
						description: 'Find properties by words of their address, a postcode or a contact name',
						action: 'Search properties',
					},
				],
			},
			...searchFields,
			...getProperties,
			...getAllProperties,
		],
	};

	methods = {
		credentialTest: { agentInventoryApiTest },
		listSearch: { searchProperties },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await dispatch(this, OPERATIONS);
	}
}
