import { HttpReceiver } from './httpReceiver';
import type { Stage } from './stage';
import { chain, webhook, type NodeInput } from './workflow';

const AGENT = 'AI Agent';
const MODEL = 'Model';

type Items = Array<Record<string, unknown>>;

/** What an agent sends to its model: the conversation so far, and the tools that there are. */
interface ModelRequest {
	messages: Array<{ role: string; content: string }>;
	tools?: Array<{ function: { name: string; description: string } }>;
}

/** What came of a question to an agent. */
interface Conversation {
	/** What the model is told of the tool. */
	description?: string;
	/** The items that the model got for each of its calls. */
	answers: Items[];
	/** What the agent sent to its model, tools' answers left out. */
	prompts: string;
	/** What the agent said at last. */
	output: unknown;
}

/** A parameter that the model fills in. */
export function fromModel(name: string, type: 'boolean' | 'number' | 'string' = 'string'): string {
	return `={{ $fromAI('${name}', 'The ${name}', '${type}') }}`;
}

/** n8n's AI Agent with a model that makes the calls that a test has written down, and then says “Done”. */
export class AiAgent {
	private constructor(
		private readonly stage: Stage,
		private readonly model: HttpReceiver,
	) {}

	static async start(stage: Stage): Promise<AiAgent> {
		return new AiAgent(stage, await HttpReceiver.start());
	}

	async stop(): Promise<void> {
		await this.model.stop();
	}

	/**
	 * Asks an agent with this one tool, which its model calls with one set of parameters after the other.
	 *
	 * @param version of the agent: version 2 calls its tools by itself, version 3 has n8n's engine run them
	 */
	async call(tool: NodeInput, calls: Items = [{}], version = 3.1): Promise<Conversation> {
		const { stage, model } = this;
		const requests: ModelRequest[] = [];
		model.answer = ({ body }) => {
			requests.push(body as unknown as ModelRequest);
			return completion(calls[requests.length - 1], requests);
		};
		const workflow = await stage.save(await this.workflow(tool, version));
		await stage.n8n.activate(workflow);
		const execution = await stage.n8n.execute(workflow, { question: 'Anything new?' });
		await stage.n8n.deactivate(workflow);
		const answers = requests.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
		const others = requests.map(({ messages, tools }) => [
			messages.filter(({ role }) => role !== 'tool'),
			tools,
		]);
		return {
			description: requests[0]?.tools?.[0]?.function.description,
			answers: answers.map(({ content }) => JSON.parse(content) as Items),
			prompts: JSON.stringify(others),
			output: execution.json(AGENT)[0]?.output,
		};
	}

	private async workflow(tool: NodeInput, version: number) {
		const access = { apiKey: 'invented', url: `${this.model.url}/v1` };
		const openAiApi = await this.stage.n8n.createCredential('openAiApi', MODEL, access);
		const trigger = webhook();
		const text = '={{ $json.body.question }}';
		const agent = {
			name: AGENT,
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: version,
			parameters: { promptType: 'define', text, options: { maxIterations: 50 } },
		};
		const model = {
			name: MODEL,
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
			credentials: { openAiApi },
		};
		const workflow = chain(
			'Assistant',
			trigger,
			agent,
			{ ...tool, type: `${tool.type}Tool` },
			model,
		);
		const connections = {
			[trigger.name]: to('main'),
			[MODEL]: to('ai_languageModel'),
			[tool.name]: to('ai_tool'),
		};
		return { ...workflow, connections };
	}
}

/** The model's answer to the last request: a call of the tool, or the end. */
function completion(parameters: object | undefined, requests: ModelRequest[]) {
	const name = requests.at(-1)?.tools?.[0]?.function.name;
	const call = { name, arguments: JSON.stringify(parameters) };
	const tool_calls = [{ id: `call-${requests.length}`, type: 'function', function: call }];
	const message = parameters ? { content: null, tool_calls } : { content: 'Done' };
	const finish_reason = parameters ? 'tool_calls' : 'stop';
	return {
		...{ id: 'completion', object: 'chat.completion', created: 0, model: 'scripted' },
		choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
	};
}

/** A connection to the agent. */
function to(type: 'ai_languageModel' | 'ai_tool' | 'main') {
	return { [type]: [[{ node: AGENT, type, index: 0 }]] };
}
