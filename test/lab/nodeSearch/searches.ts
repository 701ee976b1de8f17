import { createRequire } from 'node:module';
import { join } from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';

import { Editor } from '../proof/editor';
import type { N8n } from '../n8n';
import type { Browser } from '../n8n/browser';
import { DEFAULT_N8N, n8nBin } from '../n8n/installation';

export interface Host {
	n8n: N8n;
	browser: Browser;
}

/** The node types that one result stands for. */
export type Result = readonly string[];

/** One of n8n's searches for nodes. */
export interface NodeSearch {
	title: string;
	/** Who searches with it. */
	about: string;
	/** How many results are looked at: by a person without scrolling, or all that a model is given. */
	depth: number;
	/** For each query all results, best first. */
	find(host: Host, queries: readonly string[]): Promise<Result[][]>;
}

export const SEARCHES: readonly NodeSearch[] = [
	{
		title: 'Node panel',
		about: 'A person who adds a node in the editor. The first ten are looked at.',
		depth: 10,
		find: inPanel,
	},
	{
		title: 'AI builder, planning',
		about: 'The AI builder while it plans a workflow. It is given five nodes.',
		depth: 5,
		find: async (host, queries) => await inEngine(host, queries, BUILDER_ENGINE, 5),
	},
	{
		title: 'MCP server',
		about:
			'The tool `search_nodes` of n8n’s MCP server. The AI builder has the same one while it builds. Five nodes.',
		depth: 5,
		find: atMcpServer,
	},
	{
		title: 'Instance AI',
		about:
			'n8n’s assistant for the whole instance, with the action `search` of its tool `nodes`. It is the code of the MCP server, but gives ten nodes.',
		depth: 10,
		find: async (host, queries) => await inEngine(host, queries, CATALOG_ENGINE, 10),
	},
];

/** The panel shows a trigger and a node of the same name as one entry, under the name of the node. */
async function inPanel({ n8n, browser }: Host, queries: readonly string[]): Promise<Result[][]> {
	const editor = await Editor.open(browser, n8n);
	const panel = await editor.addFirstStep();
	const found = await panel.find(queries);
	await editor.close();
	return found.map((nodes) => nodes.map((node) => [node, `${node}Trigger`]));
}

const fromN8n = createRequire(n8nBin(DEFAULT_N8N));

/** What the package has for itself can only be loaded by its path. */
const BUILDER_ENGINE = join(
	DEFAULT_N8N,
	'@n8n/ai-workflow-builder/dist/tools/engines/node-search-engine.js',
);
const CATALOG_ENGINE = '@n8n/ai-utilities/node-catalog';

interface EngineModule {
	NodeSearchEngine: new (nodeTypes: INodeTypeDescription[]) => {
		searchByName(query: string, limit: number): Array<{ name: string }>;
	};
}

/** Asks the code that n8n runs for a model; a model itself has no part in the search. */
async function inEngine(
	{ n8n }: Host,
	queries: readonly string[],
	module: string,
	limit: number,
): Promise<Result[][]> {
	const { NodeSearchEngine } = fromN8n(module) as EngineModule;
	const engine = new NodeSearchEngine(await n8n.nodeTypes());
	return queries.map((query) => engine.searchByName(query, limit).map(({ name }) => [name]));
}

async function atMcpServer({ n8n }: Host, queries: readonly string[]): Promise<Result[][]> {
	const found = await (await n8n.mcp()).searchNodes(queries);
	return found.map((nodes) => nodes.flatMap(({ id, isRelated }) => (isRelated ? [] : [[id]])));
}
