import type {
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	INodePropertyOptions,
} from 'n8n-workflow';

import { AgentInventoryApi } from '../../../credentials/AgentInventoryApi.credentials';
import { AgentInventory } from '../../../nodes/AgentInventory/AgentInventory.node';
import { credentialOf } from '../credentialOf';
import { exampleItems } from '../documentation';
import { Sandbox } from '../sandbox';
import { AGENCY_REFS } from '../sandbox/inventory';
import { Bench } from './bench';
import { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';
import { loadOptionsContextOf } from './engine';

export const [AGENCY, OTHER_AGENCY] = AGENCY_REFS;

/** The columns of a simplified property in their order, as the documentation shows them. */
export const PROPERTY_COLUMNS = Object.keys(exampleItems('agent-inventory')[0]?.item ?? {});

/** Agent Inventory in n8n's engine against a sandbox of its own. */
export class InventoryBench extends Bench {
	static async start(): Promise<InventoryBench> {
		const sandbox = await Sandbox.start();
		const { data } = credentialOf(sandbox, sandbox.inventoryClient);
		return new InventoryBench(
			sandbox,
			new CredentialsTable([new AgentInventoryApi()], { credential: data }),
			new AgentInventory().methods.credentialTest.agentInventoryApiTest,
		);
	}

	/** What the inventory API was asked, in order. */
	get dataRequests() {
		return this.sandbox.requests.filter(({ path }) => path.startsWith('/inventory-api/'));
	}

	/** Of each of these requests, what it asked for. */
	get queries() {
		return this.dataRequests.map(({ query }) => query);
	}

	/** Invents properties of an agency; what the service does to its own later is not seen in these. */
	fill(count: number, agencyRef = AGENCY) {
		return this.sandbox.inventory.fill(agencyRef, count).map((property) => ({ ...property }));
	}

	/** What the service sends is looked at as it is, unless a test says otherwise. */
	test(parameters: INodeParameters = {}, more: Partial<NodeUnderTest> = {}): NodeUnderTest {
		return {
			node: new AgentInventory(),
			credentials: this.credentials,
			parameters: { resource: 'property', simplify: false, ...parameters },
			...more,
		};
	}

	/** What “From List” offers for what was typed. */
	async choices(
		filter?: string,
		options: INodeParameters = {},
	): Promise<INodeListSearchResult['results']> {
		const parameters = { operation: 'get', propertyId: '', options };
		const context = loadOptionsContextOf(this.test(parameters));
		return (await new AgentInventory().methods.listSearch.searchProperties.call(context, filter))
			.results;
	}

	/** The branches that the filter offers. */
	async branches(options: INodeParameters = {}): Promise<INodePropertyOptions[]> {
		const context = loadOptionsContextOf(this.test({ operation: 'getAll', options }));
		return await new AgentInventory().methods.loadOptions.getBranches.call(context);
	}
}

/** The IDs of a run's properties, as whichever list or request names them. */
export function propertyIdsOf(run: NodeRun): unknown[] {
	return run.items.map(({ json }) => json.inventoryId ?? json.id);
}

/** An input item for each value. */
export function inputOf(values: object[]): INodeExecutionData[] {
	return values.map((value) => ({ json: { ...value } }));
}
