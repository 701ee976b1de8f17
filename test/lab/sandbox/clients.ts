import { REFUSALS, Refusal } from './http';
import type { Tokens } from './tokens';
import type { Call, Client, ClientSettings, Integration } from './types';

const SCOPE = 'api/api_access';

const NO_IDS = { branches: [], brands: [], companies: [], groups: [] };

/** The clients that the service knows, and what their tokens allow. */
export class Clients {
	readonly byId = new Map<string, Client>();

	constructor(
		private readonly tokens: Tokens,
		private readonly defaults: Pick<Client, 'audience' | 'agencyRefs'>,
	) {}

	add(settings: ClientSettings): Client {
		if (this.byId.has(settings.clientId)) throw new Error(`client ${settings.clientId} exists`);
		const access = { scope: SCOPE, tokenLifetime: 3600, permitted: true, revoked: false };
		const client = { ...this.defaults, ...access, ...NO_IDS, ...settings };
		this.byId.set(client.clientId, client);
		return client;
	}

	get(clientId: string): Client {
		const client = this.byId.get(clientId);
		if (client === undefined) throw new Error(`no client ${clientId}`);
		return client;
	}

	/** @throws Refusal */
	authorize(call: Call, integration: Integration): Client {
		const token = this.tokens.named(call.headers.authorization);
		const client = this.byId.get(token?.clientId ?? '');
		const refuse = (status: number, message: string) =>
			new Refusal(REFUSALS[integration](status, message));
		if (token === undefined || client?.integration !== integration) {
			throw refuse(401, 'the token is not valid here');
		}
		if (!this.tokens.isAlive(token)) {
			throw refuse(client.rejectTokenWith ?? 401, 'the token is no longer valid');
		}
		if (!client.permitted) throw refuse(403, 'this client has no permission');
		return client;
	}
}
