import type { INodeParameters } from 'n8n-workflow';

import { AiAgent, type Conversation } from '../../lab/n8n/aiAgent';
import { ScriptedModel } from '../../lab/n8n/scriptedModel';
import { agentInventory, agentLeads, type Client, type Stage } from '../../lab/n8n/stage';
import type { NodeInput } from '../../lab/n8n';
import { useInAll } from '../../lab/standIn';

/** What a model puts into the parameters of its call. */
export type Arguments = Record<string, unknown>;

/** The tools as n8n offers them to an agent, before anybody changes a field. */
export class Tools {
	private agencies = 0;

	constructor(
		readonly stage: Stage,
		private readonly model: ScriptedModel,
	) {}

	/** An agency that sees the leads of its one branch and no others. */
	addAgency(): { client: Client; branchId: string } {
		const branchId = `branch-of-tools-${++this.agencies}`;
		return { client: this.stage.addClient({ branches: [branchId] }), branchId };
	}

	async leads(client: Client, parameters: INodeParameters = {}): Promise<NodeInput> {
		const node = agentLeads(await this.stage.saveCredential(client));
		const { resource, operation } = node.parameters ?? {};
		return { ...node, parameters: { resource, operation, ...parameters } };
	}

	async inventory(parameters: INodeParameters): Promise<NodeInput> {
		const client = this.stage.addInventoryClient();
		const node = agentInventory(await this.stage.saveCredential(client));
		return { ...node, parameters: { resource: 'property', ...parameters } };
	}

	/** Asks an agent with this one tool, which its model calls with one set of parameters after the other. */
	async call(tool: NodeInput, calls: Arguments[] = [{}], version?: number): Promise<Conversation> {
		const agent = new AiAgent(this.stage, this.model, version);
		const name = tool.name.replaceAll(' ', '_');
		return await agent.converse([tool], ...calls.map((parameters) => ({ tool: name, parameters })));
	}
}

export function useTools(stage: Stage): Tools {
	return new Tools(
		stage,
		useInAll(async () => await ScriptedModel.start()),
	);
}

/** The items of an answer, as the model reads them. */
export function itemsIn(answer = ''): Array<Record<string, unknown>> {
	return JSON.parse(answer) as Array<Record<string, unknown>>;
}
