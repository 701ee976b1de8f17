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
import type { WireRequest } from '../reference/http';
import { exchange } from '../reference/http';
import { CredentialsTable } from './credentials';
import type { NodeUnderTest } from './engine';
import { runNode } from './engine';
import type { Recorded } from './recorder';
import { Recorder, TOKEN } from './recorder';

/** Holds what breaks when it is encoded once too often or not at all. */
export const PAIR = { clientId: 'wire-client', clientSecret: 'w+i%41r:e é&s=/?#"€ secret' };

export const AGENCY_REF = '6f1d2c3b-4a59-4e87-9c60-112233445566';

interface Setup {
	node: INodeType;
	type: ICredentialType;
	parameters: INodeParameters;
}

const SETUPS = {
	leads: () => ({
		node: new AgentLeads(),
		type: new AgentLeadsApi(),
		parameters: { resource: 'applicantLead', operation: 'getAll' },
	}),
	inventory: () => ({
		node: new AgentInventory(),
		type: new AgentInventoryApi(),
		parameters: { resource: 'property' },
	}),
	products: () => ({
		node: new AgentProducts(),
		type: new AgentProductsApi(),
		parameters: { resource: 'premiumListing' },
	}),
} satisfies Record<string, () => Setup>;

export type Api = keyof typeof SETUPS;

/** The nodes and the reference client on one recorder: what the one sends is held against the other. */
export class Wire {
	private constructor(readonly recorder: Recorder) {}

	static async start(): Promise<Wire> {
		return new Wire(await Recorder.start());
	}

	async stop(): Promise<void> {
		await this.recorder.stop();
	}

	get authUrl(): string {
		return `${this.recorder.url}/auth`;
	}

	get tokenUrl(): string {
		return `${this.recorder.url}/identity/connect/token`;
	}

	baseUrl(api: Api): string {
		return `${this.recorder.url}/${api}-api`;
	}

	/** What the reference client needs to know. */
	door(api: Api) {
		return { baseUrl: this.baseUrl(api), token: TOKEN, agencyRef: AGENCY_REF };
	}

	/** A credential as a person fills it in. */
	credential(api: Api): ICredentialDataDecryptedObject {
		const { authUrl, tokenUrl } = this;
		switch (api) {
			case 'leads':
				return { ...PAIR, authUrl, leadsUrl: this.baseUrl(api) };
			case 'inventory':
				return { ...PAIR, tokenUrl, inventoryUrl: this.baseUrl(api), agencyRef: AGENCY_REF };
			case 'products':
				return { ...PAIR, authUrl, productsUrl: this.baseUrl(api) };
		}
	}

	/** All that a node sends in a run that has to succeed, tokens first. */
	async ofRun(
		api: Api,
		parameters: INodeParameters,
		changes: ICredentialDataDecryptedObject = {},
		more: Partial<NodeUnderTest> = {},
	): Promise<Recorded[]> {
		const { node, type, parameters: usual } = SETUPS[api]();
		const row = { ...this.credential(api), ...changes };
		const run = await runNode({
			node,
			credentials: new CredentialsTable([type], { credential: row }),
			parameters: { ...usual, ...parameters },
			...more,
		});
		if (run.error) throw run.error;
		return this.recorder.take();
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
		return this.recorder.take();
	}
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
