import { randomUUID } from 'node:crypto';

import type { INode } from 'n8n-workflow';

import type { Execution } from './execution';
import type { ModelRequest, OfferedTool, ScriptedModel, ToolCall } from './scriptedModel';
import type { Stage } from './stage';
import { chain, webhook, type NodeInput, type WorkflowJson } from './workflow';

const AGENT = 'AI Agent';
const MODEL = 'Model';
const MOST_CALLS = 50;

/** The node as n8n offers it to an AI agent. */
export function asTool(node: NodeInput): INode {
	return {
		id: randomUUID(),
		typeVersion: 1,
		position: [0, 200],
		...node,
		parameters: { ...node.parameters },
		type: `${node.type}Tool`,
	};
}

/** A parameter that the model fills in. */
export function fromModel(name: string, type: 'boolean' | 'number' | 'string' = 'string'): string {
	return `={{ $fromAI('${name}', 'The ${name}', '${type}') }}`;
}

/** What came of a question to an agent. */
export interface Conversation {
	/** The tools that the model could choose from. */
	tools: OfferedTool[];
	/** What the model got for each of its calls, as text. */
	answers: string[];
	requests: ModelRequest[];
	/** What the agent said at last. */
	output: unknown;
	execution: Execution;
}

/** n8n's AI Agent with a model that follows a script. */
export class AiAgent {
	constructor(
		private readonly stage: Stage,
		private readonly model: ScriptedModel,
		/** Of the agent: version 2 calls its tools by itself, version 3 has n8n's engine run them. */
		private readonly version = 3.1,
	) {}

	/** Asks an agent that has these tools; its model makes these calls, one after the other. */
	async converse(tools: NodeInput[], ...calls: ToolCall[]): Promise<Conversation> {
		const { stage, model } = this;
		const workflow = await stage.save(await this.workflow(tools.map(asTool)));
		await stage.n8n.activate(workflow);
		model.requests.length = 0;
		model.script.splice(0, Infinity, ...calls.map((call) => [call]));
		const run = await stage.run(workflow, { question: 'Anything new?' });
		const execution = await run.execution();
		const requests = [...model.requests];
		await stage.n8n.deactivate(workflow);
		const messages = requests.at(-1)?.messages ?? [];
		return {
			tools: requests[0]?.tools ?? [],
			answers: messages.flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])),
			requests,
			output: execution.json(AGENT)[0]?.output,
			execution,
		};
	}

	private async workflow(tools: INode[]): Promise<WorkflowJson> {
		const { nodes, connections, ...rest } = chain('Assistant', webhook(), {
			name: AGENT,
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: this.version,
			parameters: {
				promptType: 'define',
				text: '={{ $json.body.question }}',
				options: { maxIterations: MOST_CALLS },
			},
		});
		const node: INode = {
			id: randomUUID(),
			name: MODEL,
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			position: [0, 200],
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
			credentials: { openAiApi: await this.credential() },
		};
		connections[MODEL] = toAgent('ai_languageModel');
		for (const { name } of tools) connections[name] = toAgent('ai_tool');
		return { ...rest, nodes: [...nodes, node, ...tools], connections };
	}

	private async credential() {
		return await this.stage.n8n.createCredential('openAiApi', 'Model', this.model.credential);
	}
}

function toAgent(type: 'ai_languageModel' | 'ai_tool') {
	return { [type]: [[{ node: AGENT, type, index: 0 }]] };
}
