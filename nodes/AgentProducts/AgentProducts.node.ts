import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { credentialCheckOf } from '../../service/credentialCheck';
import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import type { Operations } from '../common/dispatch';
import { dispatch } from '../common/dispatch';
import { forEachItem, forItemsTogether } from '../common/itemErrors';
import { activate } from './actions/activation/activate/activate.operation';
import { activateFields } from './actions/activation/activate/activate.fields';
import { getActivation, getActivationFields } from './actions/activation/get.operation';
import {
	getManyActivations,
	getManyActivationsFields,
} from './actions/activation/getAll.operation';
import {
	updateHighlights,
	updateHighlightsFields,
} from './actions/activation/updateHighlights.operation';
import { productsOperationFields } from './fields';

const PRODUCT_OPERATIONS: Operations = {
	activate: async (context) => await forItemsTogether(context, activate),
	get: async (context) => await forEachItem(context, getActivation),
	getAll: async (context) => await forEachItem(context, getManyActivations),
	updateHighlights: async (context) => await forEachItem(context, updateHighlights, 1),
};

const RESOURCES = {
	premiumListing: PRODUCT_OPERATIONS,
	weeklyFeaturedProperty: PRODUCT_OPERATIONS,
};

export class AgentProducts implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Agent Products',
		name: 'agentProducts',
		icon: {
			light: 'file:../../icons/agentProducts.svg',
			dark: 'file:../../icons/agentProducts.dark.svg',
		},
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"] === "updateHighlights" ? "Update Highlights" : { activate: "Activate", get: "Get Activation", getAll: "Get Many" }[$parameter["operation"]] + ($parameter["resource"] === "premiumListing" ? ": Premium Listing" : ": Weekly Featured") }}',
		description: 'Order listing promotions for an estate agency and check their status',
		defaults: { name: 'Agent Products' },
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		// AI agents cannot use the node as a tool, because a model must not spend an agency's money by itself.
		usableAsTool: undefined,
		credentials: [{ name: 'agentProductsApi', required: true, testedBy: 'agentProductsApiTest' }],
		builderHint: {
			searchHint:
				'activate: Usually spends a credit of the agency for each listing. Put the approval of a person before it, such as a Form page and an If; never let a model or the text of a lead decide. get and getAll only read.',
		},
		properties: [
			...productsOperationFields,
			...activateFields,
			...getActivationFields,
			...getManyActivationsFields,
			...updateHighlightsFields,
		],
	};

	methods = { credentialTest: { agentProductsApiTest: credentialCheckOf(PRODUCTS_INTEGRATION) } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await dispatch(this, RESOURCES)];
	}
}
