import { findOperation, pathValues } from '../conformance/operations';
import { requestProblems } from '../conformance/problems';
import type { Clients } from './clients';
import { htmlPage, REFUSALS, Refusal, tokenError } from './http';
import type { TokenEndpoint } from './tokenEndpoint';
import { pairIn } from './tokenEndpoint';
import type { Tokens } from './tokens';
import type { Answer, Call, DataCall, Integration } from './types';

/** The paths of the areas, on one port. Each differs, so that a client that drops one meets a 404. */
export const BASES = {
	auth: '/auth',
	token: '/identity/connect/token',
	leads: '/leads-api',
	inventory: '/inventory-api',
	products: '/products-api',
};

interface Caller {
	clientId: string | null;
	tokenIndex: number | null;
}

/** A part of the service, by its path. */
export interface Area {
	/** The path that all its requests start with. */
	base: string;
	kind: 'token' | 'data';
	/** The API whose contract the request is held against. */
	api: (call: Call) => Integration | undefined;
	/** The whole path with names in braces for IDs; undefined: there is no such path. */
	template: (call: Call) => string | undefined;
	/** Who asks, as far as the request says so. */
	identify: (call: Call) => Caller;
	handle: (call: Call) => Answer;
	/** An error in the shape of this area. */
	refuse: (status: number, message: string) => Answer;
}

/** The requests of an API, by method and template. */
export type Requests = Record<string, (call: DataCall) => Answer>;

const ERROR_WORDS: Record<number, string> = { 401: 'invalid_client', 403: 'access_denied' };

/** @param path the whole path of the endpoint */
export function tokenArea(
	base: string,
	path: string,
	endpoint: TokenEndpoint,
	clients: Clients,
): Area {
	return {
		base,
		kind: 'token',
		api: (call) => clients.find(pairIn(call).clientId)?.integration,
		template: (call) => (call.path === path ? path : undefined),
		identify: (call) => ({ clientId: pairIn(call).clientId, tokenIndex: null }),
		handle: (call) => endpoint.handle(call),
		refuse: (status, message) => {
			const word = ERROR_WORDS[status] ?? (status < 500 ? 'invalid_request' : 'server_error');
			return tokenError(status, word, message);
		},
	};
}

/** An API: whatever its contract does not allow is refused before it is handled. */
export function dataArea(
	api: Integration,
	clients: Clients,
	tokens: Tokens,
	requests: Requests,
): Area {
	const base = BASES[api];
	const refuse = REFUSALS[api];
	const below = (call: Call) => ({ ...call, path: call.path.slice(base.length) });
	const handlerOf = ({ method, template }: { method: string; template: string }) =>
		requests[`${method} ${template}`];
	return {
		base: `${base}/`,
		kind: 'data',
		api: () => api,
		template: (call) => {
			const operation = findOperation(api, below(call));
			return operation && handlerOf(operation) && base + operation.template;
		},
		identify: (call) => callerOf(call, tokens),
		handle: (call) => {
			const client = clients.authorize(call, api);
			const asked = below(call);
			const operation = findOperation(api, asked);
			const handler = operation && handlerOf(operation);
			if (operation === undefined || handler === undefined) return refuse(404, 'no such path');
			const [problem] = requestProblems(api, asked);
			if (problem !== undefined) throw new Refusal(refuse(400, problem));
			const [id = ''] = Object.values(pathValues(operation.template, asked.path) ?? {});
			return handler({ ...call, operation, id, client });
		},
		refuse,
	};
}

/** Takes what no other area takes. */
export function nowhere(tokens: Tokens): Area {
	return {
		base: '/',
		kind: 'data',
		api: () => undefined,
		template: () => undefined,
		identify: (call) => callerOf(call, tokens),
		handle: () => htmlPage(404, 'Not Found'),
		refuse: (status, message) => htmlPage(status, `${status} ${message}`),
	};
}

function callerOf({ headers }: Call, tokens: Tokens): Caller {
	const token = tokens.named(headers.authorization);
	return { clientId: token?.clientId ?? null, tokenIndex: token?.index ?? null };
}
