import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { credentialCheckOf } from '../../service/credentialCheck';
import { INVENTORY_INTEGRATION } from '../../service/inventory/integration';
import type { Operations } from '../common/dispatch';
import { dispatch } from '../common/dispatch';
import { getBranches, searchProperties } from '../common/inventory/choices';
import { forItemsTogether, forEachItem } from '../common/itemErrors';
import { forModel } from '../common/tool/output';
import { getManyBranches, getManyBranchesFields } from './actions/branch/getAll.operation';
import {
	getManyNegotiators,
	getManyNegotiatorsFields,
} from './actions/negotiator/getAll.operation';
import { findForLead, findForLeadFields } from './actions/property/findForLead.operation';
import { getProperty, getPropertyFields } from './actions/property/get.operation';
import { getManyProperties, getManyPropertiesFields } from './actions/property/getAll.operation';
import { search, searchFields } from './actions/property/search.operation';
import { inventoryOperationFields } from './fields';

const RESOURCES: Record<string, Operations> = {
	property: {
		findForLead: async (context) => await forItemsTogether(context, findForLead),
		get: async (context) => await forItemsTogether(context, getProperty),
		getAll: async (context) => await forEachItem(context, getManyProperties),
		search: async (context) => await forEachItem(context, search),
	},
	branch: { getAll: async (context) => await forEachItem(context, getManyBranches) },
	negotiator: { getAll: async (context) => await forEachItem(context, getManyNegotiators) },
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
			'={{ { search: "Search Properties by " + ($parameter["searchBy"] === "text" ? "Text" : "Address"), get: "Get Property", findForLead: "Find Property for Lead", getAll: "Get Many " + ({ branch: "Branches", negotiator: "Negotiators" }[$parameter["resource"]] ?? "Properties") + (Object.keys($parameter["filters"] ?? {}).length ? ", Filters: " + Object.keys($parameter["filters"]).length : "") }[$parameter["operation"]] }}',
		description: 'Find the properties, branches and negotiators of an estate agency',
		defaults: { name: 'Agent Inventory' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: 'agentInventoryApi', required: true, testedBy: 'agentInventoryApiTest' }],
		builderHint: {
			searchHint:
				'Only reads. For the property that a lead is about use findForLead right after the node that delivers the lead, with its fields at their defaults; matchedBy is null if none fits. Rows of getAll lack price, bedrooms, owner and negotiator unless options.wholeRecords is true.',
		},
		properties: [
			...inventoryOperationFields,
			...searchFields,
			...findForLeadFields,
			...getPropertyFields,
			...getManyPropertiesFields,
			...getManyBranchesFields,
			...getManyNegotiatorsFields,
		],
	};

	methods = {
		credentialTest: { agentInventoryApiTest: credentialCheckOf(INVENTORY_INTEGRATION) },
		listSearch: { searchProperties },
		loadOptions: { getBranches },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [forModel(this, await dispatch(this, RESOURCES))];
	}
}
