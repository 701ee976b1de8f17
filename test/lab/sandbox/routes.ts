import type { Operation } from '../conformance/operations';
import { findOperation, pathValues } from '../conformance/operations';
import { basicIn, requestProblems, tokenProblems } from '../conformance/problems';
import { APIS } from '../conformance/schemas';
import type { Clients } from './clients';
import { htmlPage, json, REFUSALS, tokenError } from './http';
import type { Tokens } from './tokens';
import type { Answer, Call, DataCall, Integration } from './types';

/** The paths of the service, on one port. Each differs, so that a client that drops one meets a 404. */
export const BASES = {
	auth: '/auth',
	token: '/identity/connect/token',
	leads: '/leads-api',
	inventory: '/inventory-api',
	products: '/products-api',
};

/** The requests of an API, by method and template. */
export type Requests = Record<string, (call: DataCall) => Answer>;

/** Where a request goes, and who sends it. */
export interface Route {
	kind: 'token' | 'data';
	/** The API whose contract the request is held against. */
	api?: Integration;
	/** The path below the base address of the API. */
	path: string;
	operation?: Operation;
	/** The whole path with names in braces for IDs; undefined: there is no such path. */
	template?: string;
	/** Who asks, as far as the request says so. */
	clientId: string | null;
	tokenIndex: number | null;
	/** @throws Refusal */
	work: () => Answer;
	/** An error in the shape of this part of the service. */
	refuse: (status: number, message: string) => Answer;
}

const SHARED_TOKEN_PATH = `${BASES.auth}/oauth2/token`;
const TOKENS_FOR: Record<string, Integration[]> = {
	[SHARED_TOKEN_PATH]: ['leads', 'products'],
	[BASES.token]: ['inventory'],
};
const ERROR_WORDS: Record<number, string> = { 401: 'invalid_client', 403: 'access_denied' };

/** Finds the part of the service that answers a request. */
export class Routes {
	constructor(
		private readonly clients: Clients,
		private readonly tokens: Tokens,
		private readonly requests: Record<Integration, Requests>,
		private readonly issued: (clientId: string) => void,
	) {}

	of(call: Call): Route {
		const { path } = call;
		if (path.startsWith(BASES.auth) || path.startsWith(BASES.token)) return this.toToken(call);
		const token = this.tokens.named(call.headers.authorization);
		const caller = { clientId: token?.clientId ?? null, tokenIndex: token?.index ?? null };
		const api = APIS.find((each) => path.startsWith(`${BASES[each]}/`));
		if (api !== undefined) return { ...this.toData(api, call), ...caller };
		const refuse = (status: number, message: string) => htmlPage(status, `${status} ${message}`);
		return { kind: 'data', path, refuse, work: () => refuse(404, 'Not Found'), ...caller };
	}

	private toToken(call: Call): Route {
		const pair = pairIn(call);
		const { clientId } = pair;
		const integrations = TOKENS_FOR[call.path];
		return {
			...{ kind: 'token', path: call.path, clientId, tokenIndex: null, refuse: tokenRefusal },
			api: this.clients.byId.get(clientId ?? '')?.integration,
			template: integrations && call.path,
			work: () =>
				integrations ? this.issue(call, pair, integrations) : tokenRefusal(404, 'no such path'),
		};
	}

	private issue(call: Call, pair: Pair, integrations: Integration[]): Answer {
		const client = this.clients.byId.get(pair.clientId ?? '');
		if (client === undefined || !integrations.includes(client.integration)) {
			return tokenRefusal(401, 'no such client');
		}
		const isInForm = client.integration === 'leads';
		if (client.clientSecret !== pair.clientSecret || pair.isBasic === isInForm || client.revoked) {
			return tokenRefusal(401, 'client is not recognised');
		}
		const form = new URLSearchParams(call.body);
		if ((form.get('scope') ?? client.scope) !== client.scope) {
			return tokenError(400, 'invalid_scope', 'scope is not allowed for this client');
		}
		if ((form.get('audience') ?? client.audience) !== client.audience) {
			return tokenRefusal(403, 'audience is not allowed for this client');
		}
		const [problem] = tokenProblems(client.integration, call);
		if (problem !== undefined) return tokenRefusal(400, problem);
		const token = this.tokens.issue(client);
		this.issued(client.clientId);
		const isOdd = 'expiresIn' in client;
		const expires_in = isOdd ? client.expiresIn : client.tokenLifetime;
		const body = { access_token: token.value, expires_in, token_type: 'Bearer' };
		const answer = json(200, body, { 'Cache-Control': 'no-store' });
		return { ...answer, tokenIndex: token.index, isOdd };
	}

	/** Whatever the contract does not allow is refused before it is handled. */
	private toData(api: Integration, call: Call): Omit<Route, 'clientId' | 'tokenIndex'> {
		const path = call.path.slice(BASES[api].length);
		const refuse = REFUSALS[api];
		const operation = findOperation(api, { ...call, path });
		const handler = operation && this.requests[api][`${operation.method} ${operation.template}`];
		const route = { kind: 'data' as const, api, path, refuse };
		if (operation === undefined || handler === undefined) {
			return { ...route, work: () => refuse(404, 'no such path') };
		}
		const work = () => {
			const client = this.clients.authorize(call, api);
			const [problem] = requestProblems(api, { ...call, path });
			if (problem !== undefined) return refuse(400, problem);
			const [id = ''] = Object.values(pathValues(operation.template, path) ?? {});
			return handler({ ...call, id, client });
		};
		return { ...route, operation, template: BASES[api] + operation.template, work };
	}
}

function tokenRefusal(status: number, message: string): Answer {
	const word = ERROR_WORDS[status] ?? (status < 500 ? 'invalid_request' : 'server_error');
	return tokenError(status, word, message);
}

/** The ID and secret that a token request brings. */
interface Pair {
	/** Whether they are in a Basic header. */
	isBasic: boolean;
	clientId: string | null;
	clientSecret: string | null;
}

/** Nothing is decoded twice: a secret that was percent-encoded before Base64 is another secret. */
function pairIn({ headers, body }: Call): Pair {
	const form = new URLSearchParams(body);
	const [id, secret] = [form.get('client_id'), form.get('client_secret')];
	const basic = basicIn(headers.authorization);
	if (basic === undefined) return { isBasic: false, clientId: id, clientSecret: secret };
	const [clientId = '', ...rest] = basic.split(':');
	return { isBasic: true, clientId, clientSecret: rest.join(':') };
}
