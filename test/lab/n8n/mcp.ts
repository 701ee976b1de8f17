import { send } from './http';
import type { Rest } from './rest';

interface ToolResult {
	isError?: boolean;
	content: Array<{ text?: string }>;
	structuredContent?: unknown;
}

/** n8n's own MCP server, as the client of a model calls it. */
export class Mcp {
	private constructor(
		private readonly url: string,
		private readonly apiKey: string,
	) {}

	/** Switches the server on. */
	static async start(n8nUrl: string, rest: Rest): Promise<Mcp> {
		await rest.patch('/rest/mcp/settings', { mcpAccessEnabled: true });
		// n8n shows a key once, when it is new.
		const { apiKey } = await rest.post<{ apiKey: string }>('/rest/mcp/api-key/rotate');
		return new Mcp(`${n8nUrl}/mcp-server/http`, apiKey);
	}

	/** Calls a tool; throws what it says if it fails. */
	async call<T>(name: string, args: object): Promise<T> {
		const { status, text } = await send(this.url, {
			method: 'POST',
			headers: {
				accept: 'application/json, text/event-stream',
				authorization: `Bearer ${this.apiKey}`,
			},
			body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
		});
		if (status !== 200) throw new Error(`${name} was answered ${status}: ${text}`);
		const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
		const { result, error } = JSON.parse(data) as { result?: ToolResult; error?: unknown };
		if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(error ?? result)}`);
		return result.structuredContent as T;
	}
}
