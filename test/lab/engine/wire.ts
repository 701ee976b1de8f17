import type { IncomingMessage, ServerResponse } from 'node:http';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { AgentInventoryApi } from '../../../credentials/AgentInventoryApi.credentials';
import { AgentLeadsApi } from '../../../credentials/AgentLeadsApi.credentials';
import { AgentProductsApi } from '../../../credentials/AgentProductsApi.credentials';
import { AgentInventory } from '../../../nodes/AgentInventory/AgentInventory.node';
import { AgentLeads } from '../../../nodes/AgentLeads/AgentLeads.node';
import { AgentProducts } from '../../../nodes/AgentProducts/AgentProducts.node';
import inventoryContract from '../contract/inventory.json';
import productsContract from '../contract/products.json';
import { LocalServer } from '../localServer';
import type { WireRequest } from '../reference/http';
import { exchange } from '../reference/http';
import { CredentialsTable } from './credentials';
import type { NodeUnderTest } from './engine';
import { runNode } from './engine';

/** Holds what breaks when it is encoded once too often or not at all. */
export const PAIR = { clientId: 'wire-client', clientSecret: 'w+i%41r:e é&s=/?#"€ secret' };

export const AGENCY_REF = '6f1d2c3b-4a59-4e87-9c60-112233445566';

const TOKEN = 'token-of-the-recorder';

export type Api = 'leads' | 'inventory' | 'products';

const SETUPS: Record<Api, () => [INodeType, ICredentialType, INodeParameters]> = {
	leads: () => [
		new AgentLeads(),
		new AgentLeadsApi(),
		{ resource: 'applicantLead', operation: 'getAll' },
	],
	inventory: () => [new AgentInventory(), new AgentInventoryApi(), { resource: 'property' }],
	products: () => [new AgentProducts(), new AgentProductsApi(), { resource: 'premiumListing' }],
};

/** What a server sees of a request, as far as it matters; what may differ in spelling is in one. */
export interface Recorded {
	method: string;
	path: string;
	/** Decoded, in the order of the alphabet: the order of parameters means nothing. */
	query: string[][];
	headers: Record<'authorization' | 'agencyref' | 'content-type' | 'accept', unknown>;
	/** A form as its fields in order, JSON as what it says; null without a body. */
	body: unknown;
}

/**
 * A server in place of all of the service, which answers what the contract has as examples and keeps what it is asked.
 * The nodes and the reference client ask it: what the one sends is held against the other.
 */
export class Wire {
	/** How many pages a list has. */
	pages = 1;

	private seen: Recorded[] = [];

	private constructor(private readonly server: LocalServer) {}

	static async start(): Promise<Wire> {
		const wire: Wire = new Wire(await LocalServer.start((...call) => wire.serve(...call)));
		return wire;
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}

	get authUrl(): string {
		return `${this.server.url}/auth`;
	}

	get tokenUrl(): string {
		return `${this.server.url}/identity/connect/token`;
	}

	baseUrl(api: Api): string {
		return `${this.server.url}/${api}-api`;
	}

	/** What the reference client needs to know. */
	door(api: Api) {
		return { baseUrl: this.baseUrl(api), token: TOKEN, agencyRef: AGENCY_REF };
	}

	/** A credential as a person fills it in. */
	credential(api: Api): ICredentialDataDecryptedObject {
		const { authUrl, tokenUrl } = this;
		const baseUrl = { [`${api}Url`]: this.baseUrl(api) };
		if (api !== 'inventory') return { ...PAIR, ...baseUrl, authUrl };
		return { ...PAIR, ...baseUrl, tokenUrl, agencyRef: AGENCY_REF };
	}

	/** What was asked since the last call, in order. */
	take(): Recorded[] {
		return this.seen.splice(0);
	}

	/** All that a node sends in a run that has to succeed, tokens first. */
	async ofRun(
		api: Api,
		parameters: INodeParameters,
		changes: ICredentialDataDecryptedObject = {},
		more: Partial<NodeUnderTest> = {},
	): Promise<Recorded[]> {
		const [node, type, usual] = SETUPS[api]();
		const credential = { ...this.credential(api), ...changes };
		const credentials = new CredentialsTable([type], { credential });
		const run = await runNode({
			...{ node, credentials, parameters: { ...usual, ...parameters } },
			...more,
		});
		if (run.error) throw run.error;
		return this.take();
	}

	/** The same without the request for a token. */
	async ofNode(
		api: Api,
		parameters: INodeParameters,
		more: Partial<NodeUnderTest> = {},
	): Promise<Recorded[]> {
		return withoutTokens(await this.ofRun(api, parameters, {}, more));
	}

	/** What the reference client sends for the same. */
	async ofReference(...requests: WireRequest[]): Promise<Recorded[]> {
		for (const request of requests) await exchange(request);
		return this.take();
	}

	private serve(
		{ method = '', url = '', headers }: IncomingMessage,
		response: ServerResponse,
		body: string,
	) {
		const { pathname: path, searchParams: query } = new URL(url, this.server.url);
		const { authorization, agencyref = null, accept } = headers;
		const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
		this.seen.push({
			...{ method, path, query: sorted(query), body: contentOf(type, body) },
			headers: { authorization, agencyref, 'content-type': type, accept },
		});
		// The clock of the tests, which Node's own header does not follow.
		response.sendDate = false;
		response.setHeader('Date', new Date().toUTCString());
		response.setHeader('Content-Type', 'application/json');
		const isTaken = method === 'PATCH' || (method === 'POST' && path.includes('/products/'));
		response.writeHead(isTaken ? 202 : 200);
		response.end(JSON.stringify(this.answer(method, path, query)));
	}

	private answer(method: string, path: string, query: URLSearchParams): unknown {
		if (method === 'PATCH') return PREMIUM;
		if (isToken(path.replace(/\/$/, ''))) {
			return { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 };
		}
		if (method === 'POST') return { ...PREMIUM, status: { result: 'PENDING' } };
		if (path.includes('/products/')) return /-[0-9a-f]{12}$/.test(path) ? PREMIUM : [];
		const [last = ''] = path.split('/').slice(-1);
		if (last === 'items') {
			const items = query.getAll('inventory-id').map((id) => ({ ...ITEM, id }));
			return { totalCount: items.length, items };
		}
		if (last === 'search' || last === 'filter') return this.page(ROW, 'inventoryId', query);
		if (last === 'inventory') return this.page(HIT, 'id', query);
		return LISTS[last] ?? { ...ITEM, id: last };
	}

	/** Each page has a row of its own. */
	private page(row: object, id: string, query: URLSearchParams) {
		const page = Number(query.get('nextToken') ?? query.get('next-token') ?? 1);
		const nextToken = page < this.pages ? String(page + 1) : null;
		return { meta: { nextToken }, items: [{ ...row, [id]: String(5000 + page) }] };
	}
}

const { Item, BranchList, NegotiatorList, Integration, Hits, Rows } =
	inventoryContract.components.examples;
const ITEM = Item.value;
const [HIT = {}] = Hits.value.items;
const [ROW = {}] = Rows.value.items;
const PREMIUM = productsContract.components.examples.PremiumActivation.value;

const LISTS: Record<string, object> = {
	'applicant-leads': { applicants: [] },
	'appraisal-leads': { appraisals: [] },
	branches: BranchList.value,
	negotiators: NegotiatorList.value,
	integration: Integration.value,
};

function sorted(parameters: URLSearchParams): string[][] {
	return [...parameters].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function contentOf(type: string | null, body: string): unknown {
	if (body === '') return null;
	if (type === 'application/x-www-form-urlencoded') return sorted(new URLSearchParams(body));
	return type === 'application/json' ? JSON.parse(body) : body;
}

export function withoutTokens(recorded: Recorded[]): Recorded[] {
	return recorded.filter(({ path }) => !isToken(path));
}

export function isToken(path: string): boolean {
	return path.endsWith('/token');
}

/** A query's parameter, where there is one of it. */
export function parameterOf({ query }: Recorded, name: string): string {
	return query.find(([each]) => each === name)?.[1] ?? '';
}
