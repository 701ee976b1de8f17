import type { Client, ClientSettings } from './types';

export const SCOPE = 'api/api_access';

/** The clients that the service knows. */
export class Clients {
	readonly byId = new Map<string, Client>();

	constructor(
		private readonly defaults: {
			audience: () => string;
			agencyRefs: string[];
		},
	) {}

	add(settings: ClientSettings): Client {
		if (this.byId.has(settings.clientId)) throw new Error(`client ${settings.clientId} exists`);
		const client = {
			audience: this.defaults.audience(),
			scope: SCOPE,
			tokenLifetime: 3600,
			branches: [],
			brands: [],
			companies: [],
			groups: [],
			agencyRefs: this.defaults.agencyRefs,
			permitted: true,
			revoked: false,
			...settings,
		};
		this.byId.set(client.clientId, client);
		return client;
	}

	find(clientId: string): Client | undefined {
		return this.byId.get(clientId);
	}

	get(clientId: string): Client {
		const client = this.byId.get(clientId);
		if (client === undefined) throw new Error(`no client ${clientId}`);
		return client;
	}

	update(clientId: string, patch: Partial<Omit<Client, 'clientId' | 'integration'>>): Client {
		return Object.assign(this.get(clientId), patch);
	}
}
