import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** A call of a tool, as a model makes it. */
export interface ToolCall {
	tool: string;
	parameters: Record<string, unknown>;
}

/** A tool as it is offered to a model. */
export interface OfferedTool {
	name: string;
	description: string;
	parameters: { properties: Record<string, { type?: string; description?: string }> };
}

/** What an agent sends to its model: the conversation so far, and the tools that there are. */
export interface ModelRequest {
	messages: Array<{ role: string; content: unknown }>;
	tools: OfferedTool[];
}

interface Body {
	messages: ModelRequest['messages'];
	tools?: Array<{ function: OfferedTool }>;
}

/** A service for chat completions whose model makes the calls that a test has written down, and then says “Done”. */
export class ScriptedModel {
	/** Every request, oldest first. */
	readonly requests: ModelRequest[] = [];
	/** What the model does next; the calls of one turn go out together. */
	readonly script: ToolCall[][] = [];
	private calls = 0;

	private constructor(private readonly server: Server) {}

	static async start(): Promise<ScriptedModel> {
		const server = createServer();
		const model = new ScriptedModel(server);
		server.on('request', (request, response) => {
			void textOf(request).then((text) => {
				const answer = model.completion(JSON.parse(text) as Body);
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(JSON.stringify(answer));
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return model;
	}

	/** For n8n's OpenAI Chat Model. */
	get credential(): ICredentialDataDecryptedObject {
		const { port } = this.server.address() as AddressInfo;
		return { apiKey: 'invented', url: `http://127.0.0.1:${port}/v1` };
	}

	async stop(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}

	private completion({ messages, tools = [] }: Body) {
		this.requests.push({ messages, tools: tools.map(({ function: tool }) => tool) });
		const calls = this.script.shift();
		const message = calls
			? { role: 'assistant', content: null, tool_calls: calls.map((call) => this.asSent(call)) }
			: { role: 'assistant', content: 'Done' };
		return {
			id: 'completion',
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	private asSent({ tool, parameters }: ToolCall) {
		const sent = { name: tool, arguments: JSON.stringify(parameters) };
		return { id: `call-${++this.calls}`, type: 'function', function: sent };
	}
}

async function textOf(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString('utf8');
}
