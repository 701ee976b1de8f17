import type { IncomingHttpHeaders } from 'node:http';

export type Integration = 'leads' | 'products' | 'inventory';

/** What a test says about a client. All but the first three fields have a default. */
export interface ClientSettings {
	integration: Integration;
	clientId: string;
	clientSecret: string;
	/** Leads only; default: the leads base address. */
	audience?: string;
	/** Products only; default: `api/api_access`. */
	scope?: string;
	/** Seconds a token is good for; default 3600. */
	tokenLifetime?: number;
	/** Answered as `expires_in` in place of the lifetime; if it is undefined, `expires_in` is left out. */
	expiresIn?: unknown;
	/** The IDs that a leads client may filter by; with more than one ID, of all four kinds, it has to. */
	branches?: string[];
	brands?: string[];
	companies?: string[];
	groups?: string[];
	/** Inventory only: the agencies that the client may ask for. */
	agencyRefs?: string[];
	/** False: every request is refused with 403, even with a valid token. */
	permitted?: boolean;
	/** The answer to an expired or revoked token of this client. */
	rejectTokenWith?: 401 | 403;
}

export type Client = ClientSettings & {
	audience: string;
	scope: string;
	tokenLifetime: number;
	branches: string[];
	brands: string[];
	companies: string[];
	groups: string[];
	agencyRefs: string[];
	permitted: boolean;
	revoked: boolean;
};

/** One request, read to its end. */
export interface Call {
	method: string;
	/** The pathname. */
	path: string;
	/** The query with its question mark, or ''. */
	search: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: string;
	bodyTooLarge: boolean;
}

export interface Answer {
	status: number;
	headers?: Record<string, string>;
	/** An iterable is streamed. */
	body: string | Iterable<string>;
	/** Of the token that the answer issues. */
	tokenIndex?: number;
	/** Whether a test asked for an answer that breaks the contract. */
	isOdd?: boolean;
}

/** A part of the service, by its path. */
export interface Area {
	/** The path that all its requests start with. */
	base: string;
	counts: 'token' | 'data';
	/** The API whose contract the request is held against. */
	api: (call: Call) => Integration | undefined;
	/** Undefined: of no API. */
	integration?: Integration | 'token';
	/** The path with names in braces for IDs; undefined: there is no such path. */
	template: (path: string) => string | undefined;
	/** Who asks, as far as the request says so. */
	identify: (call: Call) => Caller;
	handle: (call: Call) => Answer;
	/** An error in the shape of this area. */
	refuse: (status: number, message: string) => Answer;
}

export interface Caller {
	clientId: string | null;
	tokenIndex: number | null;
}
