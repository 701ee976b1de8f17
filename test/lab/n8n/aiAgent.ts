import { HttpReceiver } from './httpReceiver';
import type { Stage } from './stage';
import { chain, webhook, type NodeInput } from './workflow';

const AGENT = 'AI Agent';
const MODEL = 'Model';

/** What an agent sends to its model: the conversation so far, and the tools that there are. */
interface ModelRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools?: Array<{ function: { name: string; description: string } }>;
}

/** What came of a question to an agent. */
interface Conversation {
	/** What the model is told of the tool. */
	description: string | undefined;
	/** The items that the model got for each of its calls. */
	answers: Array<Array<Record<string, unknown>>>;
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
	private readonly requests: ModelRequest[] = [];
	private script: Array<Record<string, unknown>> = [];

	private constructor(
		private readonly stage: Stage,
		private readonly model: HttpReceiver,
	) {
		model.answer = ({ body }) => this.completion(body as unknown as ModelRequest);
	}

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
	async call(
		tool: NodeInput,
		calls: Array<Record<string, unknown>> = [{}],
		version = 3.1,
	): Promise<Conversation> {
		const { stage, requests } = this;
		requests.length = 0;
		this.script = [...calls];
		const workflow = await stage.save(await this.workflow(tool, version));
		await stage.n8n.activate(workflow);
		const execution = await stage.n8n.execute(workflow, { question: 'Anything new?' });
		await stage.n8n.deactivate(workflow);
		const answers = (requests.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool');
		const others = requests.map(({ messages, tools }) => [
			messages.filter(({ role }) => role !== 'tool'),
			tools,
		]);
		return {
			description: requests[0]?.tools?.[0]?.function.description,
			answers: answers.map(
				({ content }) => JSON.parse(String(content)) as Conversation['answers'][number],
			),
			prompts: JSON.stringify(others),
			output: execution.json(AGENT)[0]?.output,
		};
	}

	private async workflow(tool: NodeInput, version: number) {
		const access = { apiKey: 'invented', url: `${this.model.url}/v1` };
		const openAiApi = await this.stage.n8n.createCredential('openAiApi', MODEL, access);
		const trigger = webhook();
		const agent = {
			name: AGENT,
			type: '@n8n/n8n-nodes-langchain.agent',
			typeVersion: version,
			parameters: {
				promptType: 'define',
				text: '={{ $json.body.question }}',
				options: { maxIterations: 50 },
			},
		};
		const model = {
			name: MODEL,
			type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
			typeVersion: 1.2,
			parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
			credentials: { openAiApi },
		};
		const { nodes } = chain('', trigger, agent, { ...tool, type: `${tool.type}Tool` }, model);
		const connections = {
			[trigger.name]: to('main'),
			[MODEL]: to('ai_languageModel'),
			[tool.name]: to('ai_tool'),
		};
		return { name: 'Assistant', nodes, connections, settings: { executionOrder: 'v1' as const } };
	}

	private completion(request: ModelRequest) {
		this.requests.push(request);
		const parameters = this.script.shift();
		const name = request.tools?.[0]?.function.name;
		const call = { name, arguments: JSON.stringify(parameters) };
		const id = `call-${this.requests.length}`;
		const message = parameters
			? { content: null, tool_calls: [{ id, type: 'function', function: call }] }
			: { content: 'Done' };
		return {
			id: 'completion',
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [
				{
					index: 0,
					message: { role: 'assistant', ...message },
					finish_reason: parameters ? 'tool_calls' : 'stop',
				},
			],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}
}

/** A connection to the agent. */
function to(type: 'ai_languageModel' | 'ai_tool' | 'main') {
	return { [type]: [[{ node: AGENT, type, index: 0 }]] };
}
