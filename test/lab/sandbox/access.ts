import type { Clients } from './clients';
import { Refusal } from './http';
import type { Tokens } from './tokens';
import type { Answer, Call, Caller, Client, Integration } from './types';

/** Decides whether a request for data is allowed. */
export class Access {
	/** @param rejectTokenWith the answer to a token that belongs to no client of the API */
	constructor(
		private readonly clients: Clients,
		private readonly tokens: Tokens,
		private readonly rejectTokenWith: () => 401 | 403,
	) {}

	identify(call: Call): Caller {
		const token = this.tokens.named(call.headers.authorization);
		return { clientId: token?.clientId ?? null, tokenIndex: token?.index ?? null };
	}

	authorize(
		call: Call,
		integration: Integration,
		refuse: (status: number, message: string) => Answer,
	): Client {
		const token = this.tokens.named(call.headers.authorization);
		const client = token === undefined ? undefined : this.clients.find(token.clientId);
		if (token === undefined || client?.integration !== integration) {
			throw new Refusal(refuse(this.rejectTokenWith(), 'the token is not valid here'));
		}
		if (!this.tokens.isAlive(token)) {
			const status = client.rejectTokenWith ?? this.rejectTokenWith();
			throw new Refusal(refuse(status, 'the token is no longer valid'));
		}
		if (!client.permitted) {
			throw new Refusal(refuse(403, 'this client has no permission'));
		}
		return client;
	}
}
