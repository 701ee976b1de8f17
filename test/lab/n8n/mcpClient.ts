import { createRequire } from 'node:module';

import { DEFAULT_N8N, n8nBin } from './installation';

interface Tool {
	name: string;
	inputSchema: { properties?: Record<string, unknown> };
}

interface Client {
	connect(transport: unknown): Promise<void>;
	close(): Promise<void>;
	getInstructions(): string | undefined;
	listTools(): Promise<{ tools: Tool[] }>;
	callTool(call: {
		name: string;
		arguments: Record<string, string>;
	}): Promise<{ content: Array<{ text: string }>; isError?: boolean }>;
}

/** The client of the protocol's own SDK, in the version that n8n has. */
const sdk = createRequire(n8nBin(DEFAULT_N8N));
const { Client: SdkClient } = sdk('@modelcontextprotocol/sdk/client/index.js') as {
	Client: new (client: { name: string; version: string }) => Client;
};
const { StreamableHTTPClientTransport } = sdk(
	'@modelcontextprotocol/sdk/client/streamableHttp.js',
) as { StreamableHTTPClientTransport: new (url: URL, options: object) => unknown };

/** An assistant that has logged in to an MCP server of n8n. */
export async function connectMcp(url: string, token: string): Promise<Client> {
	const client = new SdkClient({ name: 'assistant', version: '1.0.0' });
	const headers = { Authorization: `Bearer ${token}` };
	const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
	await client.connect(transport);
	return client;
}
