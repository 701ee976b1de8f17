import { join } from 'node:path';

import { credentialOf } from '../../test/lab/credentialOf';
import {
	chain,
	webhook,
	type N8n,
	type NodeInput,
	type SavedCredential,
	type StoredWorkflow,
} from '../../test/lab/n8n';
import { withN8n } from '../../test/lab/n8n/stage/stage';
import { root } from '../../test/lab/paths';
import type { Sandbox } from '../../test/lab/sandbox';
import { sum } from './figures';
import { limit } from './nodes';

/** n8n loads the nodes of bench/bare with these settings. */
export const BARE_NODES = { N8N_CUSTOM_EXTENSIONS: join(root, 'bench', 'bare') };

/** 40 branches, as of a large group. */
export const BRANCHES = Array.from({ length: 40 }, (_, index) => String(10_000 + index));

/** A real n8n with the package installed, and the sandbox service: where a case is played. */
export class Scene {
	private clients = 0;

	private constructor(
		readonly n8n: N8n,
		readonly sandbox: Sandbox,
	) {}

	/**
	 * @param env settings of n8n, over those of the lab
	 * @param seed of the sandbox's data; the same each time unless it is given
	 */
	static async play<T>(
		play: (scene: Scene) => Promise<T>,
		env: Record<string, string> = {},
		seed?: number,
	): Promise<T> {
		return await withN8n(async ({ n8n, sandbox }) => await play(new Scene(n8n, sandbox)), {
			n8n: { env },
			sandbox: { seed },
		});
	}

	/** An active workflow that a webhook starts; its answer is one item, and so costs nothing. */
	async workflow(name: string, nodes: NodeInput[]): Promise<StoredWorkflow> {
		return await this.active(chain(name, webhook(), ...nodes, limit()));
	}

	async active(workflow: ReturnType<typeof chain>): Promise<StoredWorkflow> {
		const stored = await this.n8n.createWorkflow(workflow);
		await this.n8n.activate(stored);
		return stored;
	}

	/** The tokens that the service has issued since its counts were reset. */
	get tokens(): number {
		return sum(Object.values(this.sandbox.counts.tokens));
	}

	/** Our credential for leads, of a client that has no token yet; at another service that takes every pair if one is given. */
	async ourCredential(branches?: string[], url?: string): Promise<SavedCredential> {
		const client = this.addClient(branches);
		const { type, data } = credentialOf(this.sandbox, client);
		const elsewhere = url !== undefined && { authUrl: url, leadsUrl: url, audience: url };
		return await this.credential(type, { ...data, ...elsewhere });
	}

	/** n8n's own credential for leads: the pair in the body, and an audience. */
	async oauth2(url?: string, branches?: string[]): Promise<SavedCredential> {
		const { authUrl, leadsUrl } = this.sandbox;
		return await this.clientCredentials(this.addClient(branches), {
			accessTokenUrl: `${url ?? authUrl}/oauth2/token`,
			authentication: 'body',
			sendAdditionalBodyProperties: true,
			additionalBodyProperties: JSON.stringify({ audience: url ?? leadsUrl }),
		});
	}

	/** n8n's own credential for the inventory: the pair as Basic authentication. */
	async inventoryOauth2(): Promise<SavedCredential> {
		const { inventoryClient, tokenUrl } = this.sandbox;
		const data = { accessTokenUrl: tokenUrl, authentication: 'header' };
		return await this.clientCredentials(inventoryClient, data);
	}

	/** Our credential for the inventory. */
	async ourInventoryCredential(): Promise<SavedCredential> {
		const { type, data } = credentialOf(this.sandbox, this.sandbox.inventoryClient);
		return await this.credential(type, data);
	}

	async credential(
		type: string,
		data: Parameters<N8n['createCredential']>[2],
	): Promise<SavedCredential> {
		return await this.n8n.createCredential(type, type, data);
	}

	private async clientCredentials(
		{ clientId, clientSecret }: Pick<Sandbox['leadsClient'], 'clientId' | 'clientSecret'>,
		data: Parameters<N8n['createCredential']>[2],
	): Promise<SavedCredential> {
		const pair = { clientId, clientSecret };
		const grant = { grantType: 'clientCredentials', scope: '', ...pair, ...data };
		return await this.credential('oAuth2Api', grant);
	}

	addClient(branches: string[] = []) {
		const clientId = `bench-${++this.clients}`;
		const clientSecret = `secret of ${clientId}`;
		return this.sandbox.addClient({ integration: 'leads', clientId, clientSecret, branches });
	}
}
