import { send } from './http';
import type { Rest } from './rest';

interface ToolResult {
	isError?: boolean;
	content: Array<{ text?: string }>;
	structuredContent?: unknown;
}

/** A node that n8n has found for a query, or that goes with one that it has found. */
interface FoundNode {
	id: string;
	isRelated: boolean;
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

	/** The nodes that n8n finds for each query, best first. */
	async searchNodes(queries: readonly string[]): Promise<FoundNode[][]> {
		const { results } = await this.call<{ results: string }>('search_nodes', { queries });
		const answers = results.split('\n\n---\n\n');
		return queries.map((query, index) => nodesIn(query, answers[index] ?? ''));
	}
}

/** A node is a line of its own, and so is one that goes with it. */
function nodesIn(query: string, answer: string): FoundNode[] {
	if (!answer.startsWith(`## "${query}"\n`))
		throw new Error(`The MCP server answers “${query}” with: ${answer}`);
	const lines = [...answer.matchAll(/^- (\S+)( \[RELATED\])?/gm)];
	return lines.map(([, id = '', related]) => ({ id, isRelated: related !== undefined }));
}
