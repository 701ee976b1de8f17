import { tokenProblems } from '../conformance/tokenProblems';
import type { Clients } from './clients';
import { Refusal, json, tokenError } from './http';
import type { Tokens } from './tokens';
import type { Answer, Call, Client, Integration } from './types';

/** The ID and secret that a token request brings. */
interface Pair {
	/** Whether they are in a Basic header. */
	isBasic: boolean;
	clientId: string | null;
	clientSecret: string | null;
}

/** A token endpoint: it knows the clients of some integrations and no others. */
export class TokenEndpoint {
	constructor(
		private readonly integrations: Integration[],
		private readonly service: {
			clients: Clients;
			tokens: Tokens;
			issued: (clientId: string) => void;
		},
	) {}

	handle(call: Call): Answer {
		const pair = pairIn(call);
		const client = this.service.clients.find(pair.clientId);
		if (client === undefined || !this.integrations.includes(client.integration)) {
			throw refusal(401, 'invalid_client', 'no such client');
		}
		const isInForm = client.integration === 'leads';
		if (client.clientSecret !== pair.clientSecret || pair.isBasic === isInForm || client.revoked) {
			throw refusal(401, 'invalid_client', 'client is not recognised');
		}
		requireTarget(new URLSearchParams(call.body), client);
		const [problem] = tokenProblems(client.integration, call);
		if (problem !== undefined) throw refusal(400, 'invalid_request', problem);
		return this.issue(client);
	}

	private issue(client: Client): Answer {
		const token = this.service.tokens.issue(client);
		this.service.issued(client.clientId);
		const expiresIn = 'expiresIn' in client ? client.expiresIn : client.tokenLifetime;
		const body = { access_token: token.value, expires_in: expiresIn, token_type: 'Bearer' };
		const answer = json(200, body, { 'Cache-Control': 'no-store' });
		return { ...answer, tokenIndex: token.index, isOdd: 'expiresIn' in client };
	}
}

function refusal(status: number, error: string, description: string): Refusal {
	return new Refusal(tokenError(status, error, description));
}

/** Nothing is decoded twice: a secret that was percent-encoded before Base64 is another secret. */
export function pairIn({ headers, body }: Call): Pair {
	const [, encoded] = /^Basic ([A-Za-z0-9+/]+={0,2})$/i.exec(headers.authorization ?? '') ?? [];
	if (encoded === undefined) {
		const form = new URLSearchParams(body);
		const [clientId, clientSecret] = [form.get('client_id'), form.get('client_secret')];
		return { isBasic: false, clientId, clientSecret };
	}
	const [clientId = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
	return { isBasic: true, clientId, clientSecret: rest.join(':') };
}

function requireTarget(form: URLSearchParams, client: Client): void {
	if (form.has('scope') && form.get('scope') !== client.scope) {
		throw refusal(400, 'invalid_scope', 'scope is not allowed for this client');
	}
	if (form.has('audience') && form.get('audience') !== client.audience) {
		throw refusal(403, 'access_denied', 'audience is not allowed for this client');
	}
}
