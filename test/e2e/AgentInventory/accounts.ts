import type { ICredentialDataDecryptedObject, INode } from 'n8n-workflow';

import type { Execution, NodeInput, StoredWorkflow } from '../../lab/n8n';
import {
	agentInventory,
	INVENTORY,
	INVENTORY_PATH,
	type Client,
	type ClientSettings,
	type SavedCredential,
	type Stage,
} from '../../lab/n8n/stage';

export const UNKNOWN_AGENCY = '99999999-0000-4000-8000-000000000000';
export const FILTER_PATH = `${INVENTORY_PATH}/filter`;

export interface Account {
	client: Client;
	credential: SavedCredential;
}

/** Clients of the inventory API on a stage, and workflows that use it. */
export class Accounts {
	constructor(private readonly stage: Stage) {}

	/** A client and a credential of a test's own. */
	async open(
		settings: Partial<ClientSettings> = {},
		changes: ICredentialDataDecryptedObject = {},
	): Promise<Account> {
		const client = this.stage.addInventoryClient(settings);
		return { client, credential: await this.stage.saveCredential(client, changes) };
	}

	async workflow(
		{ credential }: Account,
		parameters: INode['parameters'] = {},
	): Promise<StoredWorkflow> {
		return await this.stage.webhookWorkflow([agentInventory(credential, parameters)]);
	}

	/** A workflow that hands a node each entry of the body's list as an item of its own: `$json.entry`. */
	async workflowOverItems(node: NodeInput): Promise<StoredWorkflow> {
		const splitOut = {
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.entries', options: { destinationFieldName: 'entry' } },
		};
		return await this.stage.webhookWorkflow([splitOut, node]);
	}

	/** The IDs of an agency's properties, in the service's order. */
	idsOf(agencyRef: string): string[] {
		return this.stage.sandbox.inventory.of(agencyRef).map(({ id }) => id);
	}

	async runTimes(workflow: StoredWorkflow, count: number): Promise<number[]> {
		const answers: number[] = [];
		for (let run = 0; run < count; run++) answers.push((await this.stage.run(workflow)).status);
		return answers;
	}
}

export function ids(execution: Execution, node = INVENTORY, output = 0): unknown[] {
	return execution.json(node, output).map(({ inventoryId, id }) => inventoryId ?? id);
}

export function pairs(execution: Execution, node = INVENTORY, output = 0): unknown[] {
	return execution.items(node, output).map(({ pairedItem }) => pairedItem);
}

/** `count` times the same. */
export function all<T>(count: number, value: T): T[] {
	return new Array<T>(count).fill(value);
}
